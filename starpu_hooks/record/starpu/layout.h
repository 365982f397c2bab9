// starpu_hooks/record/starpu/layout.h: where the fields of StarPU's structures are in the StarPU
// that is loaded.
//
// Releases and configure options move them, and the soname does not change. So they are found by
// asking: StarPU's own public functions write known values into canary objects, and the bytes
// that changed are the field. Everything is asked twice with different values; an answer that is
// missing, ambiguous or different makes the layout unknown, and then nothing of ours reads or
// writes inside these structures.
#pragma once

#include <cstdint>
#include <cstring>

#include "starpu_hooks/record/starpu/starpu_api.h"

namespace perseid::starpu {

/// One bit of a bit-field.
struct FlagBit {
  uint16_t byte = 0;
  uint8_t mask = 0;
  bool operator==(const FlagBit&) const = default;
};

/// Where a field is if a probe did not find it, or found it twice.
inline constexpr uint16_t kNotFound = UINT16_MAX;

/// Offsets in bytes.
struct TaskLayout {
  uint16_t size = 0;
  uint16_t codelet = 0;
  uint16_t nbuffers = 0;
  uint16_t handles = 0;
  uint16_t modes = 0;
  uint16_t dyn_handles = 0;
  uint16_t dyn_modes = 0;
  uint16_t handles_sequential_consistency = 0;
  uint16_t callback = 0;
  uint16_t prologue = kNotFound;  // this and the four below may stay so
  uint16_t prologue_pop = kNotFound;
  uint16_t epilogue = kNotFound;
  uint16_t where = kNotFound;
  uint16_t transaction = kNotFound;
  uint16_t tag = 0;
  uint16_t worker = 0;
  uint16_t priority = 0;
  uint16_t context = 0;
  uint16_t flops = 0;
  uint16_t predicted = 0;
  uint16_t predicted_transfer = 0;
  FlagBit use_tag;
  FlagBit sequential_consistency;
  FlagBit synchronous;
  FlagBit on_specific_worker;
  FlagBit detach;
  FlagBit destroy;
  bool operator==(const TaskLayout&) const = default;
};

struct CodeletLayout {
  uint16_t size = 0;
  uint16_t where = 0;
  uint16_t cpu_funcs = 0;
  uint16_t cuda_funcs = 0;
  uint16_t cuda_flags = 0;
  uint16_t opencl_funcs = 0;
  uint16_t opencl_flags = 0;
  uint16_t implementations = 0;  // length of each of these arrays
  uint16_t nbuffers = 0;
  uint16_t modes = 0;
  uint16_t dyn_modes = 0;
  uint16_t model = 0;
  uint16_t name = 0;
  bool operator==(const CodeletLayout&) const = default;
};

struct PolicyLayout {
  uint16_t push_task = 0;
  uint16_t pop_task = 0;
  uint16_t pre_exec_hook = 0;
  uint16_t post_exec_hook = 0;
  uint16_t name = 0;
};

struct FilterLayout {
  uint16_t nchildren = 0;
  uint16_t get_nchildren = 0;
};

/// Numbers that StarPU's headers define and releases change.
struct Constants {
  int max_buffers = 0;
  int variable_buffers = 0;
  uint32_t on_cpu = 0;
  uint32_t on_cuda = 0;
  uint32_t on_opencl = 0;
  uint32_t nowhere = 0;
  int cpu_worker = 0;
  int cuda_worker = 0;
  int opencl_worker = 0;
  char cuda_async = 0;
  char opencl_async = 0;
  unsigned no_context = 0;  // value in a task that may run in any context
};

struct Layout {
  bool has_tasks = false;     // task, codelet and constants are good
  bool has_policies = false;  // policy is good
  bool has_filters = false;
  const char* doubt = nullptr;  // which check failed first
  TaskLayout task;
  CodeletLayout codelet;
  PolicyLayout policy;
  FilterLayout filter;
  Constants constants;
};

/// Probes the StarPU whose functions are in `api`. Takes well below a millisecond; starpu_init need
/// not have run.
Layout probe_layout(const StarpuApi& api) noexcept;

/// The value at `offset` in one of StarPU's objects.
template <class T>
T field(const void* object, uint16_t offset) noexcept {
  T value;
  std::memcpy(&value, static_cast<const std::byte*>(object) + offset, sizeof value);
  return value;
}

inline bool is_set(const void* object, FlagBit flag) noexcept {
  return (field<uint8_t>(object, flag.byte) & flag.mask) != 0;
}

}  // namespace perseid::starpu
