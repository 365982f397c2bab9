// opencl/record/layer.cpp: OpenCL's entry point: the ICD loader asks for our layer when the program
// first calls OpenCL, because OPENCL_LAYERS names the library.
#include "opencl/record/layer.h"

#include <dlfcn.h>

#include <algorithm>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "opencl/record/queues.h"
#include "plugin/session/session.h"
#include "plugin/session/unrecorded.h"
#include "plugin/settings/fixed_text.h"

namespace perseid::opencl {

namespace {

constexpr char kLayersVariable[] = "OPENCL_LAYERS";
constinit cl_icd_dispatch g_table{};
constinit std::atomic<bool> g_is_below{false};  // a loader has asked for the layer

bool names_us(std::string_view layers, std::string_view own_path) noexcept {
  while (!layers.empty()) {
    const size_t end = layers.find(':');
    if (layers.substr(0, end) == own_path) return true;
    layers.remove_prefix(end == std::string_view::npos ? layers.size() : end + 1);
  }
  return false;
}

/// Other layers stay where the user put them.
void name_ourselves_as_layer() noexcept {
  Dl_info facts;
  if (!dladdr(reinterpret_cast<void*>(&name_ourselves_as_layer), &facts) || !facts.dli_fname ||
      facts.dli_fname[0] != '/')
    return;
  const char* before = secure_getenv(kLayersVariable);
  if (before && names_us(before, facts.dli_fname)) return;
  FixedText<2 * PATH_MAX> value;
  if (before && *before) value << before << ':';
  value << facts.dli_fname;
  if (!value.is_cut()) setenv(kLayersVariable, value.c_str(), 1);
}

constinit std::atomic<bool> g_is_exiting{false};

/// Platforms may take themselves apart when the process exits. This runs before: exit handlers run
/// in the opposite order, and the loader asks for layers after it has loaded the platforms.
void ask_for_the_last_time() noexcept {
  const SystemCallGuard guard;
  if (!is_own_session(session())) return;
  harvest_all();
  g_is_exiting.store(true);
}

bool has_starpu() noexcept { return dlsym(RTLD_DEFAULT, "starpu_task_get_current") != nullptr; }

}  // namespace

bool records_commands() noexcept {
  if (!is_recording()) return false;
  // The layer is asked for once StarPU is in place, or never needed it.
  static const bool is_wanted = g_origin.settings.opencl == OpenclChoice::kOn ||
                                (g_origin.settings.opencl == OpenclChoice::kAuto && has_starpu());
  if (!is_wanted) note_unrecorded_program();
  return is_wanted;
}

uint32_t intern(const char* text, size_t length) noexcept {
  if (!is_recording()) return 0;
  const InsideGuard guard;
  if (!guard || (!t_ring && !join_session())) return 0;
  return session().names.intern(text, length);
}

uint64_t new_command_id() noexcept {
  if (!t_ring) [[unlikely]] {
    if (!is_recording()) return 0;
    const InsideGuard guard;
    if (!guard || !join_session()) return 0;
  }
  return t_ring->next_slice_id();
}

/// When the library arms. The loader reads the variable at the program's first call of OpenCL.
void start() noexcept {
  forget_queues();
  if (g_origin.settings.opencl == OpenclChoice::kOff || g_is_below.load()) return;
  name_ourselves_as_layer();
}

/// Before the last drain: commands that are over and were not asked about yet.
void stop() noexcept {
  const SystemCallGuard guard;
  if (!g_is_exiting.load()) harvest_all();
}

void explain(bool) noexcept {
  if (!has_unrecorded_program()) return;
  Line line;
  line << ProgramName().text << " uses OpenCL without StarPU; set opencl=on to record its commands";
  report_unrecorded(Unrecorded::kUsed, line.c_str());
}

}  // namespace perseid::opencl

using namespace perseid;
using namespace perseid::opencl;

extern "C" [[gnu::visibility("default")]] cl_int CL_API_CALL clGetLayerInfo(cl_layer_info what,
                                                                            size_t size,
                                                                            void* value,
                                                                            size_t* size_needed) {
  static constexpr char kName[] = "Perseid";
  static constexpr cl_layer_api_version kVersion = CL_LAYER_API_VERSION_100;
  const void* answer = kName;
  size_t bytes = sizeof kName;
  if (what == CL_LAYER_API_VERSION) {
    answer = &kVersion;
    bytes = sizeof kVersion;
  } else if (what != CL_LAYER_NAME) {
    return CL_INVALID_VALUE;
  }
  if (value && size < bytes) return CL_INVALID_VALUE;
  if (value) std::memcpy(value, answer, bytes);
  if (size_needed) *size_needed = bytes;
  return CL_SUCCESS;
}

extern "C" [[gnu::visibility("default")]] cl_int CL_API_CALL
clInitLayer(cl_uint entries, const cl_icd_dispatch* below, cl_uint* our_entries,
            const cl_icd_dispatch** ours) {
  if (!below || !our_entries || !ours) return CL_INVALID_VALUE;
  const size_t known = sizeof(cl_icd_dispatch) / sizeof(void*);
  const size_t taken = std::min<size_t>(entries, known);
  // Several loaders may sit in one process; the layer serves the first.
  if (!g_is_below.exchange(true)) {
    std::memcpy(&g_below, below, taken * sizeof(void*));
    g_table = g_below;
    if (g_origin.settings.is_on && g_origin.settings.opencl != OpenclChoice::kOff) {
      hook_queues(g_table);
      hook_commands(g_table);
      hook_memory_commands(g_table);
      std::atexit(ask_for_the_last_time);
    }
  } else if (std::memcmp(&g_below, below, taken * sizeof(void*)) != 0) {
    return CL_INVALID_OPERATION;
  }
  *our_entries = static_cast<cl_uint>(taken);
  *ours = &g_table;
  return CL_SUCCESS;
}
