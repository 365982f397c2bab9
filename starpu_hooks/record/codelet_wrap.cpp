// starpu_hooks/record/codelet_wrap.cpp: replaces function pointers in codelets by thunks, where
// memory is writable.
#include "starpu_hooks/record/codelet_wrap.h"

#include <dlfcn.h>

#include "plugin/record/modules.h"
#include "plugin/record/writable.h"
#include "plugin/session/message.h"
#include "plugin/settings/fixed_text.h"
#include "starpu_hooks/record/execution.h"
#include "starpu_hooks/record/hook.h"
#include "starpu_hooks/record/runtime.h"
#include "starpu_hooks/record/thunks.h"

namespace perseid::starpu {

namespace {

constexpr size_t kMaxKernels = 2048;

struct RunKernel {
  static void call(void** buffers, void* argument, size_t slot);
};
constinit Thunks<RunKernel, kMaxKernels, void**, void*> g_kernels;

void RunKernel::call(void** buffers, void* argument, size_t slot) {
  const KernelFunction kernel = g_kernels.original(slot);
  if (!is_recording()) return kernel(buffers, argument);
  const Execution execution(kernel);
  kernel(buffers, argument);
}

/// Remembers what was seen lately. Forgetting something only makes a record be written again.
class Seen {
 public:
  /// True if `what`, in this `state`, is not among the latest.
  bool is_news(const void* what, const void* state = nullptr) noexcept {
    if (contains(what, state)) return false;
    slot_of(what).store(both(what, state), std::memory_order_relaxed);
    return true;
  }
  bool contains(const void* what, const void* state) noexcept {
    return slot_of(what).load(std::memory_order_relaxed) == both(what, state);
  }
  void clear() noexcept {
    for (auto& slot : slots_) slot.store(0, std::memory_order_relaxed);
  }

 private:
  static constexpr uint64_t kOdd = 0x9e3779b97f4a7c15;
  static uint64_t both(const void* what, const void* state) noexcept {
    return word(what) ^ word(state) * kOdd;
  }
  std::atomic<uint64_t>& slot_of(const void* what) noexcept {
    return slots_[word(what) * kOdd >> 52];
  }

  std::atomic<uint64_t> slots_[4096]{};
};
constinit Seen g_codelets;
constinit Seen g_functions;
constinit Seen g_read_only;  // function pointers, and what they hold
constinit std::atomic<bool> g_has_read_only{false};
constinit std::atomic<bool> g_has_reported{false};

void record_function(const void* function) noexcept {
  if (!g_functions.is_news(function)) return;
  note_code(function);
  const SystemCallGuard guard;
  Dl_info facts{};
  if (!dladdr(function, &facts)) facts = Dl_info{};
  const bool is_exact = facts.dli_sname && facts.dli_saddr == function;
  emit(kind(kFunction), intern(is_exact ? facts.dli_sname : nullptr), word(function),
       intern(facts.dli_fname), word(function) - word(facts.dli_fbase));
}

uint32_t where_of(const Codelet* codelet) noexcept {
  const Constants& constants = layout().constants;
  const auto theirs = field<uint32_t>(codelet, layout().codelet.where);
  if (theirs == constants.nowhere && theirs != 0) return kNowhere;
  uint32_t ours = 0;
  if (theirs & constants.on_cpu) ours |= kOnCpu;
  if (theirs & constants.on_cuda) ours |= kOnCuda;
  if (theirs & constants.on_opencl) ours |= kOnOpencl;
  if (theirs & ~(constants.on_cpu | constants.on_cuda | constants.on_opencl)) ours |= kOnOther;
  return ours;
}

void record_codelet(Task* task, const Codelet* codelet) noexcept {
  const CodeletLayout& at = layout().codelet;
  const auto* name = field<const char*>(codelet, at.name);
  // A freed codelet's memory may hold another one now.
  if (!g_codelets.is_news(codelet, name)) return;
  const auto* model = field<const void*>(codelet, at.model);
  emit(kind(kCodelet), intern(name), word(codelet),
       halves(model ? intern(api().starpu_task_get_model_name(task)) : 0, where_of(codelet)),
       static_cast<int64_t>(field<int>(codelet, at.nbuffers)));
}

/// False if the pointer is not a function that can be called.
bool is_function(KernelFunction function) noexcept {
  constexpr uintptr_t kManyImplementations =
      UINTPTR_MAX;  // StarPU's marker in cpu_func and similar
  return function && reinterpret_cast<uintptr_t>(function) != kManyImplementations;
}

/// A codelet that the program declared const: its executions come from the policy's hooks.
void leave_read_only(const Codelet* codelet) noexcept {
  if (g_has_read_only.exchange(true) || layout().has_policies) return;
  const auto* name = field<const char*>(codelet, layout().codelet.name);
  Line line;
  line << "codelets in read-only memory (the first is ";
  line.add_quoted(name ? name : "unnamed");
  line << ") and unknown policies: the executions of these codelets are not traced";
  warn(line.c_str());
}

/// `function` is what *pointer holds.
[[gnu::noinline]] void put_thunk(KernelFunction* pointer, KernelFunction function,
                                 const Codelet* codelet, Architecture architecture,
                                 uint64_t implementation) noexcept {
  const auto* code = reinterpret_cast<const void*>(function);
  if (g_read_only.contains(pointer, code)) return;
  const bool is_read_only = !is_writable(pointer);
  const KernelFunction thunk = is_read_only ? nullptr : g_kernels.of(function);
  if (thunk == function) {
    if (!g_has_reported.exchange(true))
      warn("too many different codelet functions: the rest is not traced");
    return;
  }
  record_function(code);
  emit(kind(kCodeletFunction), static_cast<uint32_t>(architecture), word(codelet), implementation,
       word(code));
  if (is_read_only) {
    g_read_only.is_news(pointer, code);
    leave_read_only(codelet);
  } else {
    __atomic_store_n(pointer, thunk, __ATOMIC_RELEASE);
  }
}

inline void wrap_pointer(Codelet* codelet, size_t offset, Architecture architecture,
                         uint64_t implementation) noexcept {
  auto* pointer = reinterpret_cast<KernelFunction*>(reinterpret_cast<std::byte*>(codelet) + offset);
  // Workers read the pointer while we write it; either value does.
  const KernelFunction function = __atomic_load_n(pointer, __ATOMIC_RELAXED);
  if (is_function(function) && !g_kernels.is_thunk(function)) [[unlikely]]
    put_thunk(pointer, function, codelet, architecture, implementation);
}

/// The single functions that programs of long ago fill in. StarPU moves them into the arrays
/// when it sees the task, so they are wrapped where they are. They have always been in front of
/// the first array, after two pointers and two numbers.
void wrap_single_functions(Codelet* codelet) noexcept {
  constexpr uint16_t kPointer = sizeof(void*);
  constexpr uint16_t kFirst = 3 * kPointer;
  constexpr Architecture kOrder[] = {Architecture::kCpu, Architecture::kCuda,
                                     Architecture::kOpencl};
  if (layout().codelet.cpu_funcs != kFirst + 3 * kPointer) return;
  for (size_t i = 0; i < 3; ++i) wrap_pointer(codelet, kFirst + i * kPointer, kOrder[i], 0);
}

}  // namespace

void prepare_codelet_wrap() noexcept { g_kernels.measure(); }

void wrap_codelet(Task* task) noexcept {
  auto* codelet = field<Codelet*>(task, layout().task.codelet);
  if (!codelet) return;
  const CodeletLayout& at = layout().codelet;
  record_codelet(task, codelet);
  wrap_single_functions(codelet);
  for (size_t i = 0; i < at.implementations; ++i) {
    const size_t step = i * sizeof(void*);
    wrap_pointer(codelet, at.cpu_funcs + step, Architecture::kCpu, i);
    wrap_pointer(codelet, at.cuda_funcs + step, Architecture::kCuda, i);
    wrap_pointer(codelet, at.opencl_funcs + step, Architecture::kOpencl, i);
  }
}

bool has_read_only_codelets() noexcept { return g_has_read_only.load(std::memory_order_relaxed); }

KernelFunction unwrapped_function(const Codelet* codelet, Architecture architecture,
                                  unsigned implementation) noexcept {
  const CodeletLayout& at = layout().codelet;
  if (implementation >= at.implementations) return nullptr;
  uint16_t array = at.cpu_funcs;
  if (architecture == Architecture::kCuda) array = at.cuda_funcs;
  if (architecture == Architecture::kOpencl) array = at.opencl_funcs;
  const auto function = field<KernelFunction>(
      codelet, static_cast<uint16_t>(array + implementation * sizeof(KernelFunction)));
  return is_function(function) && !g_kernels.is_thunk(function) ? function : nullptr;
}

void forget_codelets() noexcept {
  g_codelets.clear();
  g_functions.clear();
  g_read_only.clear();
}

}  // namespace perseid::starpu
