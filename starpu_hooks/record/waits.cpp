// starpu_hooks/record/waits.cpp: where a thread of the program waits until StarPU has got
// on; and data that the program takes, with or without waiting.
#include "starpu_hooks/record/hook.h"
#include "starpu_hooks/record/runtime.h"

namespace perseid::starpu {

namespace {

/// Records a wait around `call`, which must return an int or nothing.
template <class Call>
auto wait(WaitKind what_for, uint64_t object, uint64_t mode, Call call) {
  const auto arg = static_cast<uint32_t>(what_for);
  emit(kind(kWaitBegin), arg, object, mode);
  if constexpr (std::is_void_v<decltype(call())>) {
    call();
    emit(kind(kWaitEnd), arg, uint64_t{0});
  } else {
    const int result = call();
    emit(kind(kWaitEnd), arg, static_cast<int64_t>(result));
    return result;
  }
}

/// StarPU's mode as the mode of an access in the data's order.
uint64_t acquired_mode(Data* data, uint32_t mode, bool is_ordered = true) noexcept {
  constexpr uint32_t kTheirs = kRead | kWrite | kScratch | kReduction | kCommute;
  is_ordered = is_ordered && api().starpu_data_get_sequential_consistency_flag(data) != 0;
  return (mode & kTheirs) | (is_ordered ? 0 : uint32_t{kNotOrdered});
}

}  // namespace
}  // namespace perseid::starpu

using namespace perseid;
using namespace perseid::starpu;

PERSEID_HOOK int starpu_task_wait(Task* task) {
  const StarpuApi& starpu = api();
  if (!is_recording()) return starpu.starpu_task_wait(task);
  return wait(WaitKind::kForTask, word(task), 0, [&] { return starpu.starpu_task_wait(task); });
}

PERSEID_HOOK int starpu_task_wait_array(Task** tasks, unsigned count) {
  const StarpuApi& starpu = api();
  if (!is_recording()) return starpu.starpu_task_wait_array(tasks, count);
  return wait(WaitKind::kForTasks, count, 0,
              [&] { return starpu.starpu_task_wait_array(tasks, count); });
}

PERSEID_HOOK int starpu_task_wait_for_all() {
  const StarpuApi& starpu = api();
  if (!is_recording()) return starpu.starpu_task_wait_for_all();
  return wait(WaitKind::kForAll, 0, 0, [&] { return starpu.starpu_task_wait_for_all(); });
}

PERSEID_HOOK int starpu_task_wait_for_all_in_ctx(unsigned context) {
  const StarpuApi& starpu = api();
  if (!is_recording()) return starpu.starpu_task_wait_for_all_in_ctx(context);
  return wait(WaitKind::kForAllInContext, context, 0,
              [&] { return starpu.starpu_task_wait_for_all_in_ctx(context); });
}

PERSEID_HOOK int starpu_task_wait_for_n_submitted(unsigned left) {
  const StarpuApi& starpu = api();
  if (!is_recording()) return starpu.starpu_task_wait_for_n_submitted(left);
  return wait(WaitKind::kForSubmitted, left, 0,
              [&] { return starpu.starpu_task_wait_for_n_submitted(left); });
}

PERSEID_HOOK int starpu_task_wait_for_n_submitted_in_ctx(unsigned context, unsigned left) {
  const StarpuApi& starpu = api();
  if (!is_recording()) return starpu.starpu_task_wait_for_n_submitted_in_ctx(context, left);
  return wait(WaitKind::kForSubmittedInContext, context, left,
              [&] { return starpu.starpu_task_wait_for_n_submitted_in_ctx(context, left); });
}

PERSEID_HOOK int starpu_task_wait_for_no_ready() {
  const StarpuApi& starpu = api();
  if (!is_recording()) return starpu.starpu_task_wait_for_no_ready();
  return wait(WaitKind::kForNoneReady, 0, 0,
              [&] { return starpu.starpu_task_wait_for_no_ready(); });
}

/// starpu_tag_wait calls it with one tag.
PERSEID_HOOK int starpu_tag_wait_array(unsigned count, Tag* tags) {
  const StarpuApi& starpu = api();
  if (!is_recording()) return starpu.starpu_tag_wait_array(count, tags);
  const bool is_one = count == 1;
  return wait(is_one ? WaitKind::kForTag : WaitKind::kForTags, is_one ? tags[0] : count, 0,
              [&] { return starpu.starpu_tag_wait_array(count, tags); });
}

PERSEID_HOOK void starpu_execute_on_each_worker_ex(void (*function)(void*), void* argument,
                                                   uint32_t where, const char* name) {
  const StarpuApi& starpu = api();
  if (!is_recording())
    return starpu.starpu_execute_on_each_worker_ex(function, argument, where, name);
  wait(WaitKind::kForExecuteOnAll, 0, 0,
       [&] { starpu.starpu_execute_on_each_worker_ex(function, argument, where, name); });
}

PERSEID_HOOK void starpu_execute_on_specific_workers(void (*function)(void*), void* argument,
                                                     unsigned count, unsigned* workers,
                                                     const char* name) {
  const StarpuApi& starpu = api();
  if (!is_recording())
    return starpu.starpu_execute_on_specific_workers(function, argument, count, workers, name);
  wait(WaitKind::kForExecuteOnAll, count, 0, [&] {
    starpu.starpu_execute_on_specific_workers(function, argument, count, workers, name);
  });
}

/// starpu_data_acquire calls it with the data's home node.
PERSEID_HOOK int starpu_data_acquire_on_node(Data* data, int node, int mode) {
  const StarpuApi& starpu = api();
  if (!is_recording()) return starpu.starpu_data_acquire_on_node(data, node, mode);
  return wait(WaitKind::kForData, word(data), acquired_mode(data, bits(mode)),
              [&] { return starpu.starpu_data_acquire_on_node(data, node, mode); });
}

/// starpu_data_acquire_try calls it. StarPU takes the data only if no task is in the way, and gives
/// it no place in the order.
PERSEID_HOOK int starpu_data_acquire_on_node_try(Data* data, int node, int mode) {
  const StarpuApi& starpu = api();
  if (!is_recording()) return starpu.starpu_data_acquire_on_node_try(data, node, mode);
  return wait(WaitKind::kForData, word(data), acquired_mode(data, bits(mode), false),
              [&] { return starpu.starpu_data_acquire_on_node_try(data, node, mode); });
}

/// Every acquisition without waiting ends here: starpu_data_acquire_cb and its kin,
/// starpu_data_invalidate_submit, _unregister_submit, _wont_use, and messages of StarPU-MPI. Its
/// parameters are others in 1.3, 1.4 and later; all are integers and pointers, a word each, and at
/// most 14. They go on as they came: a function that has fewer leaves the last ones alone.
PERSEID_HOOK int starpu_data_acquire_on_node_cb_sequential_consistency_sync_jobids(
    uint64_t a, uint64_t b, uint64_t c, uint64_t d, uint64_t e, uint64_t f, uint64_t g, uint64_t h,
    uint64_t i, uint64_t j, uint64_t k, uint64_t l, uint64_t m, uint64_t n) {
  const StarpuApi& starpu = api();
  if (is_recording() && starpu.starpu_data_get_sequential_consistency_flag) {
    auto* data = reinterpret_cast<Data*>(a);
    switch (g_runtime.acquisition) {
      case AcquisitionShape::k13:  // handle, node, mode, callback, argument, is ordered
        emit(kind(kAcquire), low_half(b), a, acquired_mode(data, low_half(c), low_half(f) != 0));
        break;
      case AcquisitionShape::k14:  // handle, node, mode, two callbacks, argument, is ordered
        emit(kind(kAcquire), low_half(b), a, acquired_mode(data, low_half(c), low_half(g) != 0));
        break;
      case AcquisitionShape::k15:  // with another handle after the first, and three callbacks
        emit(kind(kAcquire), low_half(c), a, acquired_mode(data, low_half(d), low_half(i) != 0));
        break;
      case AcquisitionShape::kUnknown:
        break;
    }
  }
  return starpu.starpu_data_acquire_on_node_cb_sequential_consistency_sync_jobids(
      a, b, c, d, e, f, g, h, i, j, k, l, m, n);
}

/// starpu_data_release calls it up to 1.3.
PERSEID_HOOK void starpu_data_release_on_node(Data* data, int node) {
  const StarpuApi& starpu = api();
  // From 1.4 on it calls the other one.
  if (!starpu.starpu_data_release_to_on_node) emit(kind(kRelease), bits(node), word(data));
  starpu.starpu_data_release_on_node(data, node);
}

/// All releases from 1.4 on. The mode that stands for nothing has a bit of its own there.
PERSEID_HOOK void starpu_data_release_to_on_node(Data* data, int mode, int node) {
  const uint64_t kept = bits(mode) & (kRead | kWrite);
  if (kept == 0)
    emit(kind(kRelease), bits(node), word(data));
  else
    emit(kind(kRelease), bits(node), word(data), kept);
  api().starpu_data_release_to_on_node(data, mode, node);
}

PERSEID_HOOK int starpu_data_fetch_on_node(Data* data, unsigned node, unsigned is_async) {
  const StarpuApi& starpu = api();
  if (!is_recording() || is_async) return starpu.starpu_data_fetch_on_node(data, node, is_async);
  return wait(WaitKind::kForPrefetch, word(data), 0,
              [&] { return starpu.starpu_data_fetch_on_node(data, node, is_async); });
}

PERSEID_HOOK void starpu_data_unregister(Data* data) {
  const StarpuApi& starpu = api();
  if (!is_recording()) return starpu.starpu_data_unregister(data);
  wait(WaitKind::kForUnregister, word(data), 0, [&] { starpu.starpu_data_unregister(data); });
  emit(kind(kDataUnregister), 0, word(data));
}

PERSEID_HOOK void starpu_data_unregister_no_coherency(Data* data) {
  const StarpuApi& starpu = api();
  if (!is_recording()) return starpu.starpu_data_unregister_no_coherency(data);
  wait(WaitKind::kForUnregister, word(data), 0,
       [&] { starpu.starpu_data_unregister_no_coherency(data); });
  emit(kind(kDataUnregister), 0, word(data));
}
