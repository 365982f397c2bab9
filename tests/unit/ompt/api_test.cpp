// tests/unit/ompt/api_test.cpp: our declarations are those of a runtime's own header.
#include "ompt/record/api.h"

#include <gtest/gtest.h>
#include <omp-tools.h>

namespace perseid::ompt {
namespace {

template <class Ours, class Theirs>
void expect_same(Ours ours, Theirs theirs) {
  EXPECT_EQ(static_cast<int64_t>(static_cast<uint32_t>(ours)),
            static_cast<int64_t>(static_cast<uint32_t>(theirs)));
}

TEST(OmptApi, CallbacksHaveTheirNumbers) {
  expect_same(CallbackId::kThreadBegin, ompt_callback_thread_begin);
  expect_same(CallbackId::kThreadEnd, ompt_callback_thread_end);
  expect_same(CallbackId::kParallelBegin, ompt_callback_parallel_begin);
  expect_same(CallbackId::kParallelEnd, ompt_callback_parallel_end);
  expect_same(CallbackId::kTaskCreate, ompt_callback_task_create);
  expect_same(CallbackId::kTaskSchedule, ompt_callback_task_schedule);
  expect_same(CallbackId::kImplicitTask, ompt_callback_implicit_task);
  expect_same(CallbackId::kControlTool, ompt_callback_control_tool);
  expect_same(CallbackId::kDeviceInitialize, ompt_callback_device_initialize);
  expect_same(CallbackId::kSyncRegionWait, ompt_callback_sync_region_wait);
  expect_same(CallbackId::kMutexReleased, ompt_callback_mutex_released);
  expect_same(CallbackId::kDependences, ompt_callback_dependences);
  expect_same(CallbackId::kWork, ompt_callback_work);
  expect_same(CallbackId::kMasked, ompt_callback_masked);
  expect_same(CallbackId::kSyncRegion, ompt_callback_sync_region);
  expect_same(CallbackId::kMutexAcquire, ompt_callback_mutex_acquire);
  expect_same(CallbackId::kMutexAcquired, ompt_callback_mutex_acquired);
  expect_same(CallbackId::kCancel, ompt_callback_cancel);
  expect_same(CallbackId::kReduction, ompt_callback_reduction);
  expect_same(CallbackId::kDispatch, ompt_callback_dispatch);
  expect_same(CallbackId::kTargetEmi, ompt_callback_target_emi);
  expect_same(CallbackId::kTargetDataOpEmi, ompt_callback_target_data_op_emi);
  expect_same(CallbackId::kTargetSubmitEmi, ompt_callback_target_submit_emi);
  expect_same(CallbackId::kError, ompt_callback_error);
}

TEST(OmptApi, KindsAndFlagsHaveTheirNumbers) {
  expect_same(ThreadType::kWorker, ompt_thread_worker);
  expect_same(Endpoint::kBegin, ompt_scope_begin);
  expect_same(Endpoint::kEnd, ompt_scope_end);
  expect_same(TaskStatus::kComplete, ompt_task_complete);
  expect_same(TaskStatus::kYield, ompt_task_yield);
  expect_same(TaskStatus::kCancel, ompt_task_cancel);
  expect_same(TaskStatus::kDetach, ompt_task_detach);
  expect_same(TaskStatus::kEarlyFulfill, ompt_task_early_fulfill);
  expect_same(TaskStatus::kLateFulfill, ompt_task_late_fulfill);
  expect_same(TaskStatus::kSwitch, ompt_task_switch);
  expect_same(TaskStatus::kTaskwaitComplete, ompt_taskwait_complete);
  expect_same(kTaskInitial, ompt_task_initial);
  expect_same(kTaskExplicit, ompt_task_explicit);
  expect_same(kTaskTarget, ompt_task_target);
  expect_same(kTaskUndeferred, ompt_task_undeferred);
  expect_same(kTaskUntied, ompt_task_untied);
  expect_same(kTaskFinal, ompt_task_final);
  expect_same(kTaskMergeable, ompt_task_mergeable);
  expect_same(SyncKind::kBarrierImplicit, ompt_sync_region_barrier_implicit);
  expect_same(SyncKind::kTaskwait, ompt_sync_region_taskwait);
  expect_same(SyncKind::kTaskgroup, ompt_sync_region_taskgroup);
  expect_same(SyncKind::kReduction, ompt_sync_region_reduction);
  expect_same(WorkKind::kLoop, ompt_work_loop);
  expect_same(WorkKind::kSingleExecutor, ompt_work_single_executor);
  expect_same(WorkKind::kTaskloop, ompt_work_taskloop);
  expect_same(MutexKind::kLock, ompt_mutex_lock);
  expect_same(MutexKind::kCritical, ompt_mutex_critical);
  expect_same(MutexKind::kOrdered, ompt_mutex_ordered);
  expect_same(DependenceType::kIn, ompt_dependence_type_in);
  expect_same(DependenceType::kInout, ompt_dependence_type_inout);
  expect_same(DependenceType::kMutexinoutset, ompt_dependence_type_mutexinoutset);
  expect_same(DependenceType::kSource, ompt_dependence_type_source);
  expect_same(DependenceType::kSink, ompt_dependence_type_sink);
  expect_same(DependenceType::kInoutset, ompt_dependence_type_inoutset);
  expect_same(DispatchKind::kSection, ompt_dispatch_section);
  expect_same(kCancelParallel, ompt_cancel_parallel);
  expect_same(kCancelTaskgroup, ompt_cancel_taskgroup);
  expect_same(kCancelDiscardedTask, ompt_cancel_discarded_task);
  expect_same(TargetKind::kUpdate, ompt_target_update);
  expect_same(DataOperation::kDelete, ompt_target_data_delete);
}

TEST(OmptApi, StructuresAreLaidOutAlike) {
  EXPECT_EQ(sizeof(Data), sizeof(ompt_data_t));
  EXPECT_EQ(sizeof(Dependence), sizeof(ompt_dependence_t));
  EXPECT_EQ(offsetof(Dependence, type), offsetof(ompt_dependence_t, dependence_type));
  EXPECT_EQ(sizeof(StartToolResult), sizeof(ompt_start_tool_result_t));
  EXPECT_EQ(offsetof(StartToolResult, finalize), offsetof(ompt_start_tool_result_t, finalize));
  EXPECT_EQ(offsetof(StartToolResult, tool_data), offsetof(ompt_start_tool_result_t, tool_data));
}

}  // namespace
}  // namespace perseid::ompt
