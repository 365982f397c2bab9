// timeline/model/rows.h: what happened, as plain rows. Nothing here knows how it is drawn.
//
//   records (merged) -> decoders -> Tasks -> ModelBatch -> drawing -> writers
//                                                       -> analysis, tables, summary, live view
//
// Rows are trivially copyable and own nothing: names are ids of one table (model/names.h), data and
// workers are ids that their own rows explain. Times are nanoseconds of the timeline's clock.
//
// A task's life is its TaskRow, written at its submission, and its steps in order of time:
//
//   submitted  ready [blocked ready]...  taken  fetch  begin [suspend resume]... end  callback
//   finished  retired
//
// A task that runs several times (regenerated, parallel) has several begins and ends. `finished`
// comes once, when nothing that depends on it has to wait any more; `retired` is the last row that
// names the task: no edge can start from it after that.
//
// Who waits for whom are edges. Tasks that may run at the same time and that the same successors
// wait for (readers of one datum, members of a reduction, commuting writers, all tasks of a tag)
// are joined in a group, a node without a life of its own, so that n readers and m writers need n +
// m rows:
//
//   reader 1 --\                /--> commuting writer 1
//   reader 2 ----> group 17 ----
//   reader 3 --/                \--> commuting writer 2
#pragma once

#include <cstdint>
#include <type_traits>

namespace perseid {

using TaskId =
    uint64_t;  // 1, 2, ... in order of submission over all runtimes of a capture; 0: none
using NodeId = uint64_t;    // a task, or a group: then kGroupBit is set
using NameId = uint32_t;    // 0: no name
using ThreadId = uint32_t;  // 1 + the place of the thread's stream in its capture; 0: unknown
using WorkerId = uint32_t;  // 1, 2, ...; 0: none
using DataId = uint32_t;    // 1, 2, ...; 0: none

/// End of what has begun and has not ended: waits and regions have two rows, one of them when they
/// begin, so that a sink knows what is going on.
inline constexpr int64_t kNotYet = INT64_MAX;

inline constexpr NodeId kGroupBit = NodeId{1} << 63;
inline constexpr bool is_group(NodeId node) noexcept { return (node & kGroupBit) != 0; }

enum class Runtime : uint8_t { kNone, kStarpu, kOpenmp };

enum TaskFlag : uint32_t {
  kTaskInternal = 1,        // the runtime made it for itself
  kTaskWithoutWork = 2,     // nothing is executed: it ends when its predecessors have ended
  kTaskAcquisition = 4,     // the program holds data, as if it were a task
  kTaskUnsubmitted = 8,     // its submission is not recorded
  kTaskOnGivenWorker = 16,  // the program chose the worker
  kTaskIsSynchronous = 32,  // its submitter waits for its end
  kTaskHasTag = 64,
  kTaskIsUndeferred = 128,    // OpenMP: its creator executes it at once
  kTaskJoinsReduction = 256,  // StarPU made it to combine the parts of a reduction
};

struct TaskRow {
  TaskId id = 0;
  TaskId parent = 0;
  uint64_t tag = 0;
  double flops = 0;
  uint64_t iteration = 0;  // the outermost one that was open
  NameId name = 0;
  NameId kind = 0;  // codelet, or construct and its place in the source
  ThreadId submitted_by = 0;
  int32_t priority = 0;
  uint32_t context = 0;
  uint32_t flags = 0;         // TaskFlag
  uint32_t worker_kinds = 0;  // bits of the WorkerKinds that can run it; 0: not known
  Runtime runtime = Runtime::kNone;
  bool has_iteration = false;
};

/// Workers execute it: it is not only there to order others, and not the program's own access.
inline constexpr bool has_work(const TaskRow& row) noexcept {
  return (row.flags & (kTaskWithoutWork | kTaskAcquisition)) == 0;
}

enum class AccessMode : uint8_t { kRead, kWrite, kReadWrite, kCommute, kReduction, kScratch };
struct AccessRow {
  TaskId task = 0;
  uint64_t bytes = 0;
  DataId data = 0;
  AccessMode mode = AccessMode::kRead;
  bool is_ordered = true;  // false: takes no part in implicit dependencies
};

enum class StepKind : uint8_t {
  kSubmitted,
  kReady,    // all it waits for has ended, and the scheduler has it; the last one counts
  kBlocked,  // after kReady: another dependence has come
  kTaken,    // by a worker
  kFetch,    // its worker waits for its data from here on
  kBegin,    // detail: which execution, from 1
  kSuspend,
  kResume,
  kEnd,       // of the execution
  kCallback,  // the program's callback begins
  kFinished,  // of a group: its last member is finished
  kRetired,
};
struct StepRow {
  int64_t ns = 0;
  NodeId task = 0;   // a group only with kFinished and kRetired
  NodeId after = 0;  // of kReady, kFinished of a group: the predecessor that finished last; 0: none
  ThreadId thread = 0;
  WorkerId worker = 0;
  uint32_t detail = 0;
  StepKind kind = StepKind::kSubmitted;
};

/// With each kEnd of a runtime that knows more of an execution: in the same batch, in the same
/// order.
struct ExecutionRow {
  TaskId task = 0;
  uint64_t footprint = 0;   // equal for equal sizes of data; 0: not known
  double predicted_ns = 0;  // by the performance model; 0: not known
  double predicted_transfer_ns = 0;
  int64_t begin_ns = 0;
  int64_t end_ns = 0;
  WorkerId worker = 0;
  uint32_t implementation = 0;
};

enum class EdgeCause : uint8_t {
  kData,      // both access `data`
  kDeclared,  // the program declared it
  kTag,
  kParent,  // `to` is finished only after its child `from`
  kEnd,     // declared: `to` is finished only after `from`
  kMember,  // `from` belongs to the group `to`
};
struct EdgeRow {
  NodeId from = 0;
  NodeId to = 0;
  DataId data = 0;
  EdgeCause cause = EdgeCause::kData;
};

struct DataRow {  // again when its name becomes known
  uint64_t bytes = 0;
  DataId id = 0;
  DataId parent = 0;
  NameId name = 0;
};

enum class WorkerKind : uint8_t { kCpu, kCuda, kOpencl, kOther, kOpenmpThread };
struct WorkerRow {  // again when its name becomes known
  WorkerId id = 0;
  NameId name = 0;
  ThreadId thread = 0;
  int64_t begin_ns = 0;  // its first stretch begins, in WorkerState::kIdle
  uint32_t number = 0;   // the runtime's own
  uint32_t memory_node = 0;
  Runtime runtime = Runtime::kNone;
  WorkerKind kind = WorkerKind::kCpu;
};

enum class WorkerState : uint8_t {
  kIdle,  // asks for tasks and gets none
  kWork,
  kFetch,     // waits for data
  kSchedule,  // in the scheduler, or between two steps of a task
  kCallback,
  kSleep,  // StarPU does not report it: its workers are kIdle then
  kPaused,
  // Threads of OpenMP
  kBarrier,
  kTaskwait,  // or the end of a taskgroup
  kLock,
  kTarget,  // waits for a device
};
/// Without gaps: a worker's next stretch begins where the last one ended. Some have no length.
struct StretchRow {
  int64_t begin_ns = 0;
  int64_t end_ns = 0;
  TaskId task = 0;
  TaskId next_task = 0;
  WorkerId worker = 0;
  WorkerState state = WorkerState::kIdle;
  WorkerState next = WorkerState::kIdle;  // what the worker does from end_ns on
  bool is_last = false;                   // the worker is gone
};

enum class WaitKind : uint8_t {
  kTasks,     // submitter: for tasks to end
  kThrottle,  // submitter: too many tasks are submitted
  kData,
  kTag,
  kBarrier,
  kTaskwait,
  kTaskgroup,
  kLock,
  kMessage,
  kMpi,  // in a call of MPI
};
struct WaitRow {  // when it begins, with end_ns = kNotYet, and when it ends
  int64_t begin_ns = 0;
  int64_t end_ns = 0;
  uint64_t object = 0;  // task, data, mutex or message, as `kind` has it
  ThreadId thread = 0;
  NameId name = 0;
  WaitKind kind = WaitKind::kTasks;
};

enum class RegionKind : uint8_t { kParallel, kIteration, kPhase };
struct RegionRow {  // as waits: when it begins, again when its size is known, and when it ends
  int64_t begin_ns = 0;
  int64_t end_ns = 0;
  uint64_t number = 0;
  ThreadId thread = 0;
  uint32_t size = 0;  // threads of a parallel region
  NameId name = 0;
  RegionKind kind = RegionKind::kParallel;
};

struct TransferRow {
  int64_t begin_ns = 0;
  int64_t end_ns = 0;
  uint64_t bytes = 0;
  uint64_t device_ns = 0;  // 0: the device did not report it
  DataId data = 0;
  ThreadId thread = 0;
  uint32_t from_node = 0;
  uint32_t to_node = 0;
};

/// One end of a message. Both ranks compute the same id, so that no rank needs the tasks of
/// another.
struct MessageRow {  // StarPU-MPI's as waits: when it is posted, with end_ns = kNotYet, and at its
                     // end
  int64_t begin_ns = 0;
  int64_t end_ns = 0;
  uint64_t id = 0;
  uint64_t bytes = 0;
  TaskId task = 0;
  ThreadId thread = 0;
  uint32_t peer = 0;
  bool is_receive = false;
};

enum class DeviceWorkKind : uint8_t { kKernel, kCopy, kFill, kOther };
/// Devices report late: these rows may lie before the batch's window.
struct DeviceRow {
  int64_t begin_ns = 0;
  int64_t end_ns = 0;
  uint64_t row = 0;  // stream or queue
  TaskId task = 0;
  uint32_t device = 0;
  NameId name = 0;
  DeviceWorkKind kind = DeviceWorkKind::kKernel;
};

/// CPU time that a thread has used since it began, as it was sampled now and then. Threads of
/// runtimes have such rows, on machines that count.
struct CpuTimeRow {
  int64_t ns = 0;
  ThreadId thread = 0;
  int64_t cpu_ns = 0;  // 0: not known
};

template <class... Row>
constexpr bool are_plain = (std::is_trivially_copyable_v<Row> && ...);
static_assert(
    are_plain<TaskRow, AccessRow, StepRow, ExecutionRow, EdgeRow, DataRow, WorkerRow, StretchRow,
              WaitRow, RegionRow, TransferRow, MessageRow, DeviceRow, CpuTimeRow>);

}  // namespace perseid
