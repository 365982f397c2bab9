/* perseid.h: annotations for user code. C99; C++17 adds RAII ranges at the end.
 *
 *   perseid_begin("assemble");              perseid::Range range("assemble", {{"rows", n}});
 *   ...
 *   perseid_end();
 *
 * Include this header; there is nothing to link. When Perseid is not loaded, or is switched off,
 * every call costs one load and one branch. When it is on, the library finds the pointer below
 * through a note in the program's ELF file and sets it, whether the library was loaded by
 * LD_PRELOAD, by linking or by a later dlopen.
 *
 * All functions may be called from any thread, at any time, also inside a hook of another tool.
 * Texts are copied; a pointer may be reused as soon as the call returns. A null name is shown
 * as "(null)".
 */
#ifndef PERSEID_H
#define PERSEID_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- arguments: typed keys and values, shown when a slice is selected ---- */

enum perseid_type {
  PERSEID_INT = 1,
  PERSEID_UINT = 2,
  PERSEID_DOUBLE = 3,
  PERSEID_BOOL = 4,
  PERSEID_POINTER = 5,
  PERSEID_TEXT = 6
};

struct perseid_arg {
  const char* key;
  uint32_t type;
  uint32_t text_bytes; /* PERSEID_TEXT only; UINT32_MAX: up to the terminating zero */
  union {
    int64_t int_value;
    uint64_t uint_value;
    double double_value;
    const void* pointer_value;
    const char* text_value;
  } value;
};

/* A row of the timeline that belongs to no thread, such as a request or a pipeline stage. */
typedef uint64_t perseid_lane;
/* One slice on such a lane; it may end on another thread than it began. */
typedef uint64_t perseid_lane_slice;

/* Table of the functions in the library. New ones are added at the end; `size` is in bytes. */
struct perseid_api {
  uint64_t size;
  void (*begin)(const char* name, const struct perseid_arg* args, size_t count);
  void (*end)(const struct perseid_arg* args, size_t count);
  void (*instant)(const char* name, const struct perseid_arg* args, size_t count);
  void (*counter)(const char* name, double value);
  void (*flow_out)(uint64_t id);
  void (*flow_in)(uint64_t id);
  void (*name_thread)(const char* name);
  perseid_lane (*lane)(const char* name);
  perseid_lane_slice (*lane_begin)(perseid_lane lane, const char* name,
                                   const struct perseid_arg* args, size_t count);
  void (*lane_end)(perseid_lane lane, perseid_lane_slice slice, const struct perseid_arg* args,
                   size_t count);
  void (*phase)(const char* name);
  void (*pause)(void);
  void (*resume)(void);
};

/* ---- how a program and the library find each other ---- */

/* One pointer per executable or shared library; null while Perseid is not loaded. */
__attribute__((weak, used, visibility("hidden"))) const struct perseid_api* perseid_api_slot;

/* The note locates the pointer: owner "Perseid", type 1, the distance to the pointer. */
__asm__(
    ".pushsection .note.perseid, \"a\", %note\n"
    ".balign 4\n"
    ".4byte 8, 8, 1\n"
    ".asciz \"Perseid\"\n"
    "1: .8byte perseid_api_slot - 1b\n"
    ".popsection\n");

/* Fills the pointer in shared libraries that are loaded after Perseid. */
__attribute__((weak)) const struct perseid_api* perseid_connect(void);
__attribute__((constructor, unused)) static void perseid_connect_this_module(void) {
  if (perseid_connect && !perseid_api_slot)
    __atomic_store_n(&perseid_api_slot, perseid_connect(), __ATOMIC_RELEASE);
}

static inline const struct perseid_api* perseid_api_now(void) {
  return __atomic_load_n(&perseid_api_slot, __ATOMIC_ACQUIRE);
}

/* ---- the calls ---- */

static inline struct perseid_arg perseid_arg_int(const char* key, int64_t value) {
  struct perseid_arg arg;
  arg.key = key;
  arg.type = PERSEID_INT;
  arg.text_bytes = 0;
  arg.value.int_value = value;
  return arg;
}

static inline struct perseid_arg perseid_arg_uint(const char* key, uint64_t value) {
  struct perseid_arg arg = perseid_arg_int(key, 0);
  arg.type = PERSEID_UINT;
  arg.value.uint_value = value;
  return arg;
}

static inline struct perseid_arg perseid_arg_double(const char* key, double value) {
  struct perseid_arg arg = perseid_arg_int(key, 0);
  arg.type = PERSEID_DOUBLE;
  arg.value.double_value = value;
  return arg;
}

static inline struct perseid_arg perseid_arg_bool(const char* key, int value) {
  struct perseid_arg arg = perseid_arg_int(key, value != 0);
  arg.type = PERSEID_BOOL;
  return arg;
}

static inline struct perseid_arg perseid_arg_pointer(const char* key, const void* value) {
  struct perseid_arg arg = perseid_arg_int(key, 0);
  arg.type = PERSEID_POINTER;
  arg.value.pointer_value = value;
  return arg;
}

static inline struct perseid_arg perseid_arg_text(const char* key, const char* value) {
  struct perseid_arg arg = perseid_arg_int(key, 0);
  arg.type = PERSEID_TEXT;
  arg.text_bytes = UINT32_MAX;
  arg.value.text_value = value;
  return arg;
}

/* True while recording is on, also if paused by perseid_pause(). Check it before you compute
 * expensive arguments. */
static inline int perseid_is_here(void) { return perseid_api_now() != NULL; }

/* A range on the calling thread. Ranges nest: the end closes the latest begin. */
static inline void perseid_begin_with(const char* name, const struct perseid_arg* args,
                                      size_t count) {
  const struct perseid_api* api = perseid_api_now();
  if (api) api->begin(name, args, count);
}
static inline void perseid_begin(const char* name) { perseid_begin_with(name, NULL, 0); }

/* Adds arguments that are known only at the end to those given at the begin. */
static inline void perseid_end_with(const struct perseid_arg* args, size_t count) {
  const struct perseid_api* api = perseid_api_now();
  if (api) api->end(args, count);
}
static inline void perseid_end(void) { perseid_end_with(NULL, 0); }

/* An instant on the calling thread. */
static inline void perseid_instant_with(const char* name, const struct perseid_arg* args,
                                        size_t count) {
  const struct perseid_api* api = perseid_api_now();
  if (api) api->instant(name, args, count);
}
static inline void perseid_instant(const char* name) { perseid_instant_with(name, NULL, 0); }

/* A value over time, one row per name. Values that are not finite are ignored. */
static inline void perseid_counter(const char* name, double value) {
  const struct perseid_api* api = perseid_api_now();
  if (api) api->counter(name, value);
}

/* An arrow from the range open here to each range that names the same id later, on any
 * thread. An id may be used again once its arrow has arrived. */
static inline void perseid_flow_out(uint64_t id) {
  const struct perseid_api* api = perseid_api_now();
  if (api) api->flow_out(id);
}
static inline void perseid_flow_in(uint64_t id) {
  const struct perseid_api* api = perseid_api_now();
  if (api) api->flow_in(id);
}

static inline void perseid_name_thread(const char* name) {
  const struct perseid_api* api = perseid_api_now();
  if (api) api->name_thread(name);
}

/* A lane of the program. The same name returns the same lane. Slices that overlap are
 * shown below each other. */
static inline perseid_lane perseid_lane_named(const char* name) {
  const struct perseid_api* api = perseid_api_now();
  return api ? api->lane(name) : 0;
}
static inline perseid_lane_slice perseid_lane_begin_with(perseid_lane lane, const char* name,
                                                         const struct perseid_arg* args,
                                                         size_t count) {
  const struct perseid_api* api = perseid_api_now();
  return api ? api->lane_begin(lane, name, args, count) : 0;
}
static inline perseid_lane_slice perseid_lane_begin(perseid_lane lane, const char* name) {
  return perseid_lane_begin_with(lane, name, NULL, 0);
}
static inline void perseid_lane_end_with(perseid_lane lane, perseid_lane_slice slice,
                                         const struct perseid_arg* args, size_t count) {
  const struct perseid_api* api = perseid_api_now();
  if (api) api->lane_end(lane, slice, args, count);
}
static inline void perseid_lane_end(perseid_lane lane, perseid_lane_slice slice) {
  perseid_lane_end_with(lane, slice, NULL, 0);
}

/* Begins a phase of the whole process (such as "warm-up"), which lasts until the next call.
 * NULL ends the phase without a new one. */
static inline void perseid_phase(const char* name) {
  const struct perseid_api* api = perseid_api_now();
  if (api) api->phase(name);
}

/* Pause and resume recording on all threads. The timeline shows the pause. */
static inline void perseid_pause(void) {
  const struct perseid_api* api = perseid_api_now();
  if (api) api->pause();
}
static inline void perseid_resume(void) {
  const struct perseid_api* api = perseid_api_now();
  if (api) api->resume();
}

#ifdef __cplusplus
} /* extern "C" */

#if __cplusplus >= 201703L
#include <initializer_list>
#include <string_view>
#include <type_traits>

namespace perseid {

/// A key and a value of any arithmetic, pointer or text type.
struct Arg : perseid_arg {
  template <class T>
  Arg(const char* name, const T& given) noexcept : perseid_arg(perseid_arg_int(name, 0)) {
    if constexpr (std::is_same_v<T, bool>) {
      *static_cast<perseid_arg*>(this) = perseid_arg_bool(name, given);
    } else if constexpr (std::is_enum_v<T>) {
      value.int_value = static_cast<int64_t>(given);
    } else if constexpr (std::is_floating_point_v<T>) {
      type = PERSEID_DOUBLE;
      value.double_value = static_cast<double>(given);
    } else if constexpr (std::is_unsigned_v<T>) {
      type = PERSEID_UINT;
      value.uint_value = given;
    } else if constexpr (std::is_integral_v<T>) {
      value.int_value = given;
    } else if constexpr (std::is_same_v<std::decay_t<T>, const char*> ||
                         std::is_same_v<std::decay_t<T>, char*>) {
      *static_cast<perseid_arg*>(this) = perseid_arg_text(name, given);
    } else if constexpr (std::is_convertible_v<T, std::string_view>) {
      const std::string_view text = given;
      type = PERSEID_TEXT;
      text_bytes = text.size() < UINT32_MAX ? static_cast<uint32_t>(text.size()) : UINT32_MAX - 1;
      value.text_value = text.data();
    } else {
      static_assert(std::is_pointer_v<T>, "an argument is a number, a text or a pointer");
      type = PERSEID_POINTER;
      value.pointer_value = given;
    }
  }
};
static_assert(sizeof(Arg) == sizeof(perseid_arg), "arguments are passed as an array");

using Args = std::initializer_list<Arg>;

inline void instant(const char* name, Args args = {}) noexcept {
  perseid_instant_with(name, args.begin(), args.size());
}

/// A range from here to the end of the scope.
class [[nodiscard]] Range {
 public:
  explicit Range(const char* name, Args args = {}) noexcept {
    perseid_begin_with(name, args.begin(), args.size());
  }
  ~Range() {
    if (is_open_) perseid_end();
  }
  Range(const Range&) = delete;
  Range& operator=(const Range&) = delete;

  /// Ends the range before its scope, with arguments that are known only now.
  void end(Args args = {}) noexcept {
    if (is_open_) perseid_end_with(args.begin(), args.size());
    is_open_ = false;
  }

 private:
  bool is_open_ = true;
};

/// A slice on a lane; may be moved to another thread and end there.
class [[nodiscard]] LaneRange {
 public:
  LaneRange(perseid_lane lane, const char* name, Args args = {}) noexcept
      : lane_(lane), slice_(perseid_lane_begin_with(lane, name, args.begin(), args.size())) {}
  ~LaneRange() { end(); }
  LaneRange(LaneRange&& other) noexcept : lane_(other.lane_), slice_(other.slice_) {
    other.slice_ = 0;
  }
  LaneRange& operator=(LaneRange&&) = delete;

  void end(Args args = {}) noexcept {
    if (slice_) perseid_lane_end_with(lane_, slice_, args.begin(), args.size());
    slice_ = 0;
  }

 private:
  perseid_lane lane_;
  perseid_lane_slice slice_;
};

}  // namespace perseid
#endif /* C++17 */
#endif /* __cplusplus */

#endif /* PERSEID_H */
