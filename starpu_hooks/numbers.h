// starpu_hooks/numbers.h: the numbers that records of StarPU carry, and their names.
#pragma once

#include "capture/event_info.h"

namespace perseid::starpu {

/// Our own numbers: StarPU renumbers its own from release to release.
enum class Architecture : uint32_t {
  kCpu = 0,
  kCuda = 1,
  kOpencl = 2,
  kOther = 3,
  kDisk = 4  // memory nodes only
};
inline constexpr ValueName kArchitectureNames[] = {
    {Architecture::kCpu, "cpu"},       {Architecture::kCuda, "cuda"},
    {Architecture::kOpencl, "opencl"}, {Architecture::kOther, "other"},
    {Architecture::kDisk, "disk"},
};

/// Where a codelet may run, our own bits again.
enum Where : uint32_t {
  kOnCpu = 1,
  kOnCuda = 2,
  kOnOpencl = 4,
  kOnOther = 8,
  kNowhere = 16,  // the task does nothing; its submission and its end are all there is
};
inline constexpr ValueName kWhereNames[] = {
    {kOnCpu, "cpu"},     {kOnCuda, "cuda"},     {kOnOpencl, "opencl"},
    {kOnOther, "other"}, {kNowhere, "nowhere"},
};

/// What the hooks can see of this StarPU; a missing bit explains missing records.
enum Abilities : uint64_t {
  kSeesTasks = 1,       // starpu_task_submit is interposed
  kSeesFields = 2,      // the layout of tasks was found: priority, tag, flops, accesses
  kSeesExecution = 4,   // codelet functions are wrapped
  kSeesScheduling = 8,  // policies are hooked: push, pop, pre_exec, post_exec
  kSeesCallbacks = 16,  // callbacks are wrapped
};
inline constexpr ValueName kAbilityNames[] = {
    {kSeesTasks, "tasks"},           {kSeesFields, "fields"},       {kSeesExecution, "execution"},
    {kSeesScheduling, "scheduling"}, {kSeesCallbacks, "callbacks"},
};

/// kRuntime's third word.
enum class Detail : uint64_t { kTasks = 0, kEverything = 1 };
inline constexpr ValueName kDetailNames[] = {
    {Detail::kTasks, "tasks"},
    {Detail::kEverything, "everything"},
};

enum SubmitFlag : uint32_t {
  kSynchronous = 1,
  kHasTag = 2,
  kOnSpecificWorker = 4,
  kDetached = 16,
  kDestroyed = 32,    // StarPU frees it
  kHasCallback = 64,  // of its own or of its codelet
  kWithoutDependencies = 128,
  kFieldsUnknown = 256,   // without kSeesFields: only task, context 0 and the name are meant
  kRunsNowhere = 512,     // it has a codelet, and that or the task itself has it as: nowhere
  kTagIsLabel = 1024,     // the tag is only a label (STARPU_TAG_ONLY): no dependencies by it
  kInTransaction = 2048,  // the last access is the one that StarPU adds, of its transaction's
                          // hidden handle; handle 0 and kNotOrdered if that is not known
};
inline constexpr ValueName kSubmitFlagNames[] = {
    {kSynchronous, "synchronous"},
    {kHasTag, "has_tag"},
    {kOnSpecificWorker, "on_specific_worker"},
    {kDetached, "detached"},
    {kDestroyed, "destroyed"},
    {kHasCallback, "has_callback"},
    {kWithoutDependencies, "without_dependencies"},
    {kFieldsUnknown, "fields_unknown"},
    {kRunsNowhere, "runs_nowhere"},
    {kTagIsLabel, "tag_is_label"},
    {kInTransaction, "in_transaction"},
};

/// An access is two words: the handle, then its mode in the low 16 bits and its bytes above.
/// Bits of the mode as in StarPU's own enumeration.
enum AccessMode : uint32_t {
  kRead = 1,
  kWrite = 2,
  kScratch = 4,
  kReduction = 8,
  kCommute = 16,
  // 32 and 64: a synchronous send and locality, of which nothing is made
  kNotOrdered = 1u << 15,  // ours: takes no part in implicit dependencies
};
inline constexpr ValueName kAccessModeNames[] = {
    {kRead, "read"},           {kWrite, "write"},     {kScratch, "scratch"},
    {kReduction, "reduction"}, {kCommute, "commute"}, {kNotOrdered, "not_ordered"},
};

constexpr uint64_t access_word(uint32_t mode, uint64_t bytes) noexcept {
  return (mode & 0xffff) | bytes << 16;
}
constexpr uint32_t access_mode(uint64_t word) noexcept { return word & 0xffff; }
constexpr uint64_t access_bytes(uint64_t word) noexcept { return word >> 16; }

enum class WaitKind : uint32_t {
  kForTask = 1,          // task
  kForTasks = 2,         // number of tasks
  kForAll = 3,           // none
  kForAllInContext = 4,  // context
  kForSubmitted = 5,     // until at most this many are left; inside a submission: throttled
  kForSubmittedInContext = 6,
  kForNoneReady = 7,
  kForTag = 8,            // tag
  kForTags = 9,           // number of tags
  kForData = 10,          // handle, mode: starpu_data_acquire and its kin
  kForUnregister = 11,    // handle
  kForUnpartition = 12,   // handle
  kForExecuteOnAll = 13,  // starpu_execute_on_each_worker and its kin
  kForPrefetch = 14,      // handle, mode 0: starpu_data_fetch_on_node
  kForMessage = 15,       // starpu_mpi_wait
  kForMpi = 16,           // starpu_mpi_wait_for_all
  kForMpiBarrier = 17,    // starpu_mpi_barrier
};
inline constexpr ValueName kWaitKindNames[] = {
    {WaitKind::kForTask, "task"},
    {WaitKind::kForTasks, "tasks"},
    {WaitKind::kForAll, "all"},
    {WaitKind::kForAllInContext, "all_in_context"},
    {WaitKind::kForSubmitted, "submitted"},
    {WaitKind::kForSubmittedInContext, "submitted_in_context"},
    {WaitKind::kForNoneReady, "none_ready"},
    {WaitKind::kForTag, "tag"},
    {WaitKind::kForTags, "tags"},
    {WaitKind::kForData, "data"},
    {WaitKind::kForUnregister, "unregister"},
    {WaitKind::kForUnpartition, "unpartition"},
    {WaitKind::kForExecuteOnAll, "execute_on_all"},
    {WaitKind::kForPrefetch, "prefetch"},
    {WaitKind::kForMessage, "message"},
    {WaitKind::kForMpi, "mpi"},
    {WaitKind::kForMpiBarrier, "mpi_barrier"},
};

enum ExecFlag : uint32_t {
  kExecAsync = 1,  // the function only starts the kernel; see kPostExec
};
inline constexpr ValueName kExecFlagNames[] = {
    {kExecAsync, "async"},
};

enum MpiFlag : uint32_t {
  kMpiReceives = 1,     // else it sends
  kMpiSynchronous = 2,  // a send that ends when it is received
  kMpiInCallback = 4,   // reported by StarPU-MPI's own thread
  kMpiByRequest = 8,
};
inline constexpr ValueName kMpiFlagNames[] = {
    {kMpiReceives, "receives"},
    {kMpiSynchronous, "synchronous"},
    {kMpiInCallback, "in_callback"},
    {kMpiByRequest, "by_request"},
};

/// Which of a task's callbacks.
enum class CallbackKind : uint32_t {
  kAtEnd = 0,          // callback_func: its successors have been released
  kWhenReady = 1,      // prologue_callback_func: before kPush, on the thread that made it ready
  kWhenPopped = 2,     // prologue_callback_pop_func: after kPop on the worker, before the input
  kBeforeRelease = 3,  // epilogue_callback_func (1.4): after the outputs, before its successors
};
inline constexpr ValueName kCallbackKindNames[] = {
    {CallbackKind::kAtEnd, "at_end"},
    {CallbackKind::kWhenReady, "when_ready"},
    {CallbackKind::kWhenPopped, "when_popped"},
    {CallbackKind::kBeforeRelease, "before_release"},
};

/// The record of kOpened is after the submission of the task that begins it, the others are before
/// theirs.
enum class TransactionStep : uint32_t { kOpened = 0, kNextEpoch = 1, kClosed = 2 };
inline constexpr ValueName kTransactionStepNames[] = {
    {TransactionStep::kOpened, "opened"},
    {TransactionStep::kNextEpoch, "next_epoch"},
    {TransactionStep::kClosed, "closed"},
};

enum class TagChange : uint32_t { kNotified = 1, kRestarted = 2, kRemoved = 3 };
inline constexpr ValueName kTagChangeNames[] = {
    {TagChange::kNotified, "notified"},
    {TagChange::kRestarted, "restarted"},
    {TagChange::kRemoved, "removed"},
};

enum class DataRequest : uint32_t {
  kPrefetch = 1,
  kIdlePrefetch = 2,
  kWontUse = 3,
  kInvalidate = 4,
  kInvalidateSubmit = 5,
  kUnregisterSubmit = 6,
};
inline constexpr ValueName kDataRequestNames[] = {
    {DataRequest::kPrefetch, "prefetch"},
    {DataRequest::kIdlePrefetch, "idle_prefetch"},
    {DataRequest::kWontUse, "wont_use"},
    {DataRequest::kInvalidate, "invalidate"},
    {DataRequest::kInvalidateSubmit, "invalidate_submit"},
    {DataRequest::kUnregisterSubmit, "unregister_submit"},
};

/// kTaskDeps' argument.
inline constexpr ValueName kBeforeNames[] = {{0, "start"}, {1, "end"}};

/// kDataPartition's argument.
inline constexpr ValueName kPartitionNames[] = {
    {0, "partitioned"}, {1, "planned"}, {2, "taken_back"}};

}  // namespace perseid::starpu
