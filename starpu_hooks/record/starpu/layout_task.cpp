// starpu_hooks/record/starpu/layout_task.cpp: finds the fields of a task.
#include <sys/uio.h>
#include <unistd.h>

#include <cmath>
#include <cstdlib>

#include "starpu_hooks/record/starpu/canary.h"

namespace perseid::starpu {

namespace {

constexpr size_t kHandles = 4;
constexpr size_t kMaxBuffers = 64;

/// starpu_data_descr
struct Access {
  void* handle;
  int mode;
};

/// A value that StarPU never writes: odd, so that it is not an aligned address.
template <class T>
T sentinel(uint64_t seed, unsigned index) noexcept {
  const uint64_t mixed = (seed + index) * 0x9e3779b97f4a7c15 | 1;
  return static_cast<T>(mixed >> (64 - 8 * sizeof(T)) | 1);
}

void* sentinel_pointer(uint64_t seed, unsigned index) noexcept {
  return reinterpret_cast<void*>(sentinel<uint64_t>(seed, index) >> 20 | 1);
}

/// Reads memory that may not be there.
bool read_safely(const void* from, void* to, size_t bytes) noexcept {
  iovec local{to, bytes};
  iovec remote{const_cast<void*>(from), bytes};
  return process_vm_readv(getpid(), &local, 1, &remote, 1, 0) == static_cast<ssize_t>(bytes);
}

/// Offset of the pointer to an array that starts with `begin`.
uint16_t find_array(const Snapshot& task, const Snapshot& before, const void* begin,
                    size_t bytes) noexcept {
  uint16_t found = kNotFound;
  for (size_t at = 0; at + sizeof(void*) <= task.size(); at += sizeof(void*)) {
    if (std::memcmp(task.at(at), before.at(at), sizeof(void*)) == 0) continue;
    void* array;
    std::memcpy(&array, task.at(at), sizeof array);
    std::byte content[kMaxBuffers * sizeof(void*)];
    if (!read_safely(array, content, bytes) || std::memcmp(content, begin, bytes) != 0) continue;
    if (found != kNotFound) return kNotFound;
    found = static_cast<uint16_t>(at);
  }
  return found;
}

/// StarPU's tasks come from malloc, and nothing else hangs on one that was only built.
template <class... Arguments>
void build(const StarpuApi& api, Codelet* codelet, size_t size, Snapshot& snapshot,
           Arguments... arguments) noexcept {
  Task* task = api.starpu_task_build(codelet, arguments..., 0);
  snapshot.take(task, size);
  std::free(task);
}

class TaskProbe {
 public:
  TaskProbe(const StarpuApi& api, const Constants& constants, Canaries& canaries, uint64_t seed,
            TaskLayout& layout) noexcept
      : api_(api), constants_(constants), canaries_(canaries), seed_(seed), layout_(layout) {}

  /// Null, or what was not found.
  const char* run() noexcept {
    const size_t size = measure(
        canaries_,
        [](void* at, const StarpuApi& starpu) { starpu.starpu_task_init(static_cast<Task*>(at)); },
        api_);
    if (size == 0) return "size of a task";
    layout_.size = static_cast<uint16_t>(size);
    if (!find_predictions()) return "predicted times of a task";
    if (!find_destroy_and_detach()) return "lifetime of a task";
    codelet_ = reinterpret_cast<Codelet*>(canaries_.second);
    api_.starpu_codelet_init(codelet_);
    api_.fstarpu_codelet_set_variable_nbuffers(codelet_);
    build(api_, codelet_, size, canaries_.before);
    if (!find_values()) return "values of a task";
    find_other_values();
    if (!find_flags()) return "flags of a task";
    if (!find_accesses()) return "accesses of a task";
    if (!find_many_accesses()) return "many accesses of a task";
    return nullptr;
  }

 private:
  int key(const char* name) const noexcept {
    return static_cast<int>(api_.fstarpu_get_constant(name));
  }

  /// Three doubles start as "not a number": length, transfer, start.
  bool find_predictions() noexcept {
    canaries_.before.take(canaries_.first, layout_.size);
    uint16_t first = 0;
    int count = 0;
    for (uint16_t at = 0; at + sizeof(double) <= layout_.size; at = uint16_t(at + sizeof(double))) {
      if (!std::isnan(field<double>(canaries_.before.at(0), at))) continue;
      // -1 in an int field in front of other bytes reads as "not a number", too.
      if (field<uint64_t>(canaries_.before.at(0), at) >> 32 == UINT32_MAX) continue;
      if (count == 0) first = at;
      if (at != first + count * int{sizeof(double)}) return false;
      ++count;
    }
    layout_.predicted = first;
    layout_.predicted_transfer = static_cast<uint16_t>(first + sizeof(double));
    return count == 3;
  }

  bool find_destroy_and_detach() noexcept {
    Task* created = api_.starpu_task_create();
    canaries_.after.take(created, layout_.size);
    std::free(created);
    layout_.destroy = canaries_.after.changed_bit(canaries_.before);
    return layout_.destroy.mask != 0;
  }

  bool find_values() noexcept {
    const auto priority = sentinel<uint32_t>(seed_, 1) >> 1;
    const auto context = sentinel<uint32_t>(seed_, 2) >> 1;
    const auto worker = sentinel<uint32_t>(seed_, 3) >> 1;
    const auto tag = sentinel<uint64_t>(seed_, 4);
    const double flops = static_cast<double>(sentinel<uint32_t>(seed_, 5)) + 0.25;
    void* callback = sentinel_pointer(seed_, 6);
    void* consistency = sentinel_pointer(seed_, 7);
    build(api_, codelet_, layout_.size, canaries_.after,               //
          key("FSTARPU_PRIORITY"), static_cast<int>(priority),         //
          key("FSTARPU_SCHED_CTX"), static_cast<unsigned>(context),    //
          key("FSTARPU_EXECUTE_ON_WORKER"), static_cast<int>(worker),  //
          key("FSTARPU_TAG"), tag, key("FSTARPU_FLOPS"), flops,        //
          key("FSTARPU_CALLBACK"), callback,                           //
          key("FSTARPU_HANDLES_SEQUENTIAL_CONSISTENCY"), consistency);
    const Snapshot& task = canaries_.after;
    layout_.codelet = canaries_.before.find(codelet_, empty_before());
    layout_.priority = task.find(priority, canaries_.before);
    layout_.context = task.find(context, canaries_.before);
    layout_.worker = task.find(worker, canaries_.before);
    layout_.tag = task.find(tag, canaries_.before);
    layout_.flops = task.find(flops, canaries_.before);
    layout_.callback = task.find(callback, canaries_.before);
    layout_.handles_sequential_consistency = task.find(consistency, canaries_.before);
    return layout_.codelet != kNotFound && layout_.priority != kNotFound &&
           layout_.context != kNotFound && layout_.worker != kNotFound &&
           layout_.tag != kNotFound && layout_.flops != kNotFound &&
           layout_.callback != kNotFound && layout_.handles_sequential_consistency != kNotFound;
  }

  /// What a task may do without: a field that is not found is left alone.
  void find_other_values() noexcept {
    const auto where = sentinel<uint32_t>(seed_, 14) >> 1;
    void* prologue = sentinel_pointer(seed_, 15);
    void* prologue_pop = sentinel_pointer(seed_, 16);
    build(api_, codelet_, layout_.size, canaries_.after,  //
          key("FSTARPU_EXECUTE_WHERE"), static_cast<unsigned long long>(where),
          key("FSTARPU_PROLOGUE_CALLBACK"), prologue,  //
          key("FSTARPU_PROLOGUE_CALLBACK_POP"), prologue_pop);
    const Snapshot& task = canaries_.after;
    layout_.where = task.find(where, canaries_.before);
    layout_.prologue = task.find(prologue, canaries_.before);
    layout_.prologue_pop = task.find(prologue_pop, canaries_.before);
    layout_.epilogue = find_before(layout_.callback);
    layout_.transaction = find_before(layout_.tag);
  }

  /// Fields that no public function sets. From the first release that has them, 1.4.0, they have
  /// been in front of a field that is known, with one pointer in between.
  uint16_t find_before(uint16_t known) const noexcept {
    int major = 0, minor = 0, release = 0;
    api_.starpu_get_version(&major, &minor, &release);
    if (major != 1 || minor < 4 || minor > 5) return kNotFound;
    const auto found = static_cast<uint16_t>(known - 2 * sizeof(void*));
    const bool is_empty = field<void*>(canaries_.before.at(0), found) == nullptr;
    return is_empty ? found : kNotFound;
  }

  bool find_flags() noexcept {
    Snapshot& task = canaries_.after;
    const size_t size = layout_.size;
    build(api_, codelet_, size, task, key("FSTARPU_TAG"), sentinel<uint64_t>(seed_, 8));
    layout_.use_tag = task.changed_bit(canaries_.before, layout_.tag, sizeof(Tag));
    build(api_, codelet_, size, task, key("FSTARPU_EXECUTE_ON_WORKER"), 1);
    layout_.on_specific_worker = task.changed_bit(canaries_.before, layout_.worker, sizeof(int));
    build(api_, codelet_, size, task, key("FSTARPU_TASK_SYNCHRONOUS"), 1);
    layout_.synchronous = task.changed_bit(canaries_.before);
    build(api_, codelet_, size, task, key("FSTARPU_SEQUENTIAL_CONSISTENCY"), 0u);
    layout_.sequential_consistency = task.changed_bit(canaries_.before);
    if (!layout_.use_tag.mask || !layout_.on_specific_worker.mask || !layout_.synchronous.mask ||
        !layout_.sequential_consistency.mask)
      return false;
    return find_detach();
  }

  /// Of the flags of a fresh task, which share a word, only this and sequential consistency are
  /// set.
  bool find_detach() noexcept {
    int count = 0;
    const auto word = static_cast<uint16_t>(layout_.destroy.byte / 4 * 4);
    for (uint16_t at = word; at < word + 4; ++at) {
      auto set = field<uint8_t>(canaries_.first, at);
      const FlagBit& other = layout_.sequential_consistency;
      if (at == other.byte) set = static_cast<uint8_t>(set & ~other.mask);
      if (set == 0) continue;
      layout_.detach = {at, set};
      count += (set & (set - 1)) == 0 ? 1 : 2;
    }
    return count == 1;
  }

  bool find_accesses() noexcept {
    const int read = key("FSTARPU_R"), write = key("FSTARPU_W"), both = key("FSTARPU_RW");
    void* const handles[kHandles] = {sentinel_pointer(seed_, 10), sentinel_pointer(seed_, 11),
                                     sentinel_pointer(seed_, 12), sentinel_pointer(seed_, 13)};
    const int modes[kHandles] = {read, both, write, both};
    Snapshot& task = canaries_.after;
    build(api_, codelet_, layout_.size, task, read, handles[0], both, handles[1], write, handles[2],
          both, handles[3]);
    layout_.handles = task.find(handles, sizeof handles, sizeof(void*), canaries_.before);
    layout_.modes = task.find(modes, sizeof modes, sizeof(int), canaries_.before);
    layout_.nbuffers = task.find(static_cast<int>(kHandles), canaries_.before);
    return layout_.handles != kNotFound && layout_.modes != kNotFound &&
           layout_.nbuffers != kNotFound;
  }

  /// More handles than a task has room for go into arrays of their own.
  bool find_many_accesses() noexcept {
    const auto count = static_cast<size_t>(constants_.max_buffers) + 1;
    if (count > kMaxBuffers) return false;
    Access accesses[kMaxBuffers];
    void* handles[kMaxBuffers];
    int modes[kMaxBuffers];
    for (size_t i = 0; i < count; ++i) {
      handles[i] = sentinel_pointer(seed_, static_cast<unsigned>(20 + i));
      modes[i] = key(i % 2 ? "FSTARPU_RW" : "FSTARPU_R");
      accesses[i] = {handles[i], modes[i]};
    }
    Task* built = api_.starpu_task_build(codelet_, key("FSTARPU_DATA_MODE_ARRAY"), accesses,
                                         static_cast<int>(count), 0);
    Snapshot& task = canaries_.after;
    task.take(built, layout_.size);
    layout_.dyn_handles = find_array(task, canaries_.before, handles, count * sizeof(void*));
    layout_.dyn_modes = find_array(task, canaries_.before, modes, count * sizeof(int));
    const bool is_found = layout_.dyn_handles != kNotFound && layout_.dyn_modes != kNotFound;
    if (is_found) {
      std::free(field<void*>(built, layout_.dyn_handles));
      std::free(field<void*>(built, layout_.dyn_modes));
    }
    std::free(built);
    return is_found;
  }

  /// The task as starpu_task_init leaves it, in place of a snapshot without codelet.
  const Snapshot& empty_before() noexcept {
    empty_.take(canaries_.first, layout_.size);
    return empty_;
  }

  const StarpuApi& api_;
  const Constants& constants_;
  Canaries& canaries_;
  Snapshot& empty_ = canaries_.empty;
  uint64_t seed_;
  TaskLayout& layout_;
  Codelet* codelet_ = nullptr;
};

}  // namespace

bool probe_task(const StarpuApi& api, const Constants& constants, Canaries& canaries, uint64_t seed,
                TaskLayout& layout, const char*& doubt) noexcept {
  doubt = TaskProbe(api, constants, canaries, seed, layout).run();
  return !doubt;
}

}  // namespace perseid::starpu
