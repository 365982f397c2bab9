// starpu_hooks/events.h: what the StarPU hooks write.
//
// Every object is named by its address in the traced process (task, codelet, handle, function):
// StarPU's own job ids are 0 in ordinary builds. A task is its address plus time: an address
// cannot be submitted again before its task has ended, so an execution belongs to the latest
// kSubmit of that address. Regenerated and continued tasks execute several times for one kSubmit.
//
// The life of one task, and what its records mean:
//
//   kSubmit .. kSubmitEnd        on the submitting thread; other records may come between them:
//                                submissions that StarPU makes itself (partitioning, pre-sync of
//                                data) and a kWaitBegin kForSubmitted .. kWaitEnd (throttling)
//   kPush .. kPushEnd            ready: StarPU hands a task to the policy as soon as nothing holds
//                                it back. On the thread that made it ready
//   kPop                         on the worker that will run it
//   kPreExec                     its inputs are there: kPop to kPreExec is "fetching input"
//   kExecBegin .. kExecEnd       the codelet's function
//   kPostExec                    its outputs are pushed; for an asynchronous kernel (kExecAsync)
//                                the moment at which it had really ended
//   kCallbackBegin .. kCallbackEnd   four kinds, each at its own moment: see CallbackKind
//   kTaskClean                   StarPU forgets it: the address may be submitted anew
//
// Which of them exist
// - Tasks without codelet, or with kRunsNowhere: kSubmit, kSubmitEnd, callbacks, kTaskClean.
// - execute_on_a_specific_worker and contexts without policy: no kPush and kPop, but kReady when it
//   is put in the worker's queue. It may come again: the first one after kSubmit counts. Of
//   parallel tasks also with the addresses of private copies, as below.
// - detail "tasks": only kSubmit, kSubmitEnd, waits, kExecBegin, kExecEnd, kPostExec of
//   asynchronous kernels, and everything that happens once.
// - Parallel tasks: every rank of an SPMD task has its own kExecBegin/kExecEnd, all with the task
//   that was submitted. A fork-join task has them on its master only; the others show kPreExec
//   and kPostExec. In kPop, kPreExec and kPostExec the address of a parallel task is that of a
//   private copy and must not be looked up: pair them with the kExecBegin of the same worker.
// - A task that never reaches kTaskClean was kept by the program (destroy = 0).
//
// kSubmit comes before its task can become visible to any other thread, so in time order it
// always precedes kPush and kExecBegin; kSubmitEnd may come after kTaskClean.
//
// Data that the program takes itself
//
//   kWaitBegin kForData          the access of an acquisition that waits (starpu_data_acquire,
//                                starpu_data_invalidate): its place in the order of the handle is
//                                where the record is. starpu_data_acquire_try is one with
//                                kNotOrdered; it has failed if the result is not 0
//   kAcquire                     the same without waiting: the access is made by the call, and the
//                                data comes later. Every such access has one, also those of
//                                starpu_data_invalidate_submit, _unregister_submit, _wont_use and
//                                StarPU-MPI's messages: a kDataRequest or kMpiPost before it says
//                                what it is for, and is no access itself
//   kRelease                     the first one ends the access for the order, whatever mode is
//                                kept (starpu_data_release_to, 1.4)
//
// StarPU's own tasks _starpu_data_acquire_* stand for the same accesses and have no data.
//
// Integers narrower than a word share one, first the low half. Doubles are stored by their bits.
#pragma once

#include "capture/record.h"

namespace perseid::starpu {

enum Event : uint8_t {
  // The runtime
  kRuntime = 1,
  kInitBegin = 2,
  kInitEnd = 3,
  kShutdownBegin = 4,
  kShutdownEnd = 5,
  kPauseWorkers = 6,
  kResumeWorkers = 7,
  // What there is, said once after each kInitEnd and when it changes
  kWorker = 10,
  kWorkerThread = 11,
  kCombinedWorker = 12,
  kMemoryNode = 13,
  kContext = 14,
  kCodelet = 15,
  kFunction = 16,
  kCodeletFunction = 17,
  // Submission and waiting
  kSubmit = 20,
  kMoreAccesses = 21,
  kSubmitEnd = 22,
  kWaitBegin = 23,
  kWaitEnd = 24,
  kRelease = 25,
  kAcquire = 26,
  // Scheduling
  kPush = 30,
  kPushEnd = 31,
  kPop = 32,
  kIdle = 33,
  kReady = 34,
  // Execution
  kPreExec = 40,
  kExecBegin = 41,
  kExecEnd = 42,
  kPostExec = 43,
  kCallbackBegin = 44,
  kCallbackEnd = 45,
  kTaskClean = 46,
  // Explicit dependencies
  kTaskDeps = 50,
  kTagDeps = 51,
  kTagChange = 52,
  kEndDependency = 53,
  kTransaction = 54,
  // Data
  kDataRegister = 60,
  kDataUnregister = 61,
  kDataName = 62,
  kDataCoordinates = 63,
  kDataPartition = 64,
  kDataAddress = 65,
  kDataRequest = 66,
  // Transfers and memory
  kCopyBegin = 70,
  kCopyEnd = 71,
  kCopyDone = 72,
  kDataCopy = 73,
  kAllocate = 74,
  kFree = 75,
  kCopyStarted = 76,
  // What the program says
  kUserEvent = 80,
  kUserText = 81,
  kIterationPush = 82,
  kIterationPop = 83,
  kFxtStart = 84,
  kFxtStop = 85,
  // StarPU-MPI
  kMpiPost = 90,
  kMpiRequest = 91,
  kMpiDone = 92,
};

inline constexpr EventInfo kEvents[] = {
    {kRuntime, "runtime", "string id of StarPU's file",
     "major | minor << 16 | release << 32, Abilities, detail"},
    {kInitBegin, "init_begin", "0", "none"},
    {kInitEnd, "init_end", "result of starpu_init", "workers | memory nodes"},
    {kShutdownBegin, "shutdown_begin", "0", "none"},
    {kShutdownEnd, "shutdown_end", "0", "none"},
    {kPauseWorkers, "pause_workers", "0", "none"},
    {kResumeWorkers, "resume_workers", "0", "none"},

    {kWorker, "worker", "worker",
     "string id of the name | Architecture, memory node | device, cpu it is bound to or -1"},
    {kWorkerThread, "worker_thread", "worker, which this thread is from now on", "none"},
    {kCombinedWorker, "combined_worker", "id", "its workers"},
    {kMemoryNode, "memory_node", "node",
     "string id of the name | Architecture, device, bytes or 0 if unlimited"},
    {kContext, "context", "context", "string id of the policy's name, its workers"},
    {kCodelet, "codelet", "string id of the name",
     "codelet, string id of the model's name | Where, buffers (-1: varies)"},
    {kFunction, "function", "string id of the symbol, 0 if it has none",
     "address, string id of the file, offset in the file as it is mapped"},
    {kCodeletFunction, "codelet_function", "Architecture", "codelet, implementation, function"},

    {kSubmit, "submit", "string id of the task's name",
     "task, codelet, priority | context, SubmitFlags | worker or -1; left out if all are 0 or"
     " none: tag, flops, accesses"},
    {kMoreAccesses, "more_accesses", "0", "task, accesses"},
    {kSubmitEnd, "submit_end", "result; not 0: the task did not enter", "task"},
    {kWaitBegin, "wait_begin", "WaitKind", "what for: task, tag, handle, number or context; mode"},
    {kWaitEnd, "wait_end", "WaitKind", "result"},
    {kAcquire, "acquire", "node, negative: none", "handle, mode"},
    {kRelease, "release", "node", "handle; left out if 0: mode in which it is kept"},

    {kPush, "push", "context", "task"},
    {kPushEnd, "push_end", "result of the policy", "task"},
    {kPop, "pop", "worker", "task; left out if 0: context"},
    {kIdle, "idle", "worker that asked for a task and got none", "context"},
    {kReady, "ready", "context", "task"},

    {kPreExec, "pre_exec", "worker", "task; left out if 0: context"},
    {kExecBegin, "exec_begin", "worker",
     "task, function; left out if they say nothing: implementation | ExecFlags, combined worker"
     " or -1 | its size, predicted us, predicted transfer us, footprint"},
    {kExecEnd, "exec_end", "worker", "task"},
    {kPostExec, "post_exec", "worker", "task; left out if 0: context"},
    {kCallbackBegin, "callback_begin", "worker or -1",
     "task, function; left out if 0: CallbackKind"},
    {kCallbackEnd, "callback_end", "worker or -1", "task"},
    {kTaskClean, "task_clean", "0", "task"},

    {kTaskDeps, "task_deps", "0: before it starts, 1: before it counts as ended",
     "task, the tasks it waits for"},
    {kTagDeps, "tag_deps", "0", "tag, the tags it waits for"},
    {kTagChange, "tag_change", "TagChange", "tag"},
    {kEndDependency, "end_dependency", "dependencies added; 0: one released", "task"},
    {kTransaction, "transaction", "TransactionStep", "transaction, its hidden handle or 0"},

    {kDataRegister, "data_register", "interface id",
     "handle, bytes, address in main memory or 0, home node (-1: none)"},
    {kDataUnregister, "data_unregister", "0", "handle"},
    {kDataName, "data_name", "string id", "handle"},
    {kDataCoordinates, "data_coordinates", "number of them", "handle, coordinates"},
    {kDataPartition, "data_partition",
     "0: partitioned, 1: planned, 2: taken back, and all that StarPU submitted for it is before",
     "handle, then of each child: handle, bytes, address in main memory or 0"},
    {kDataAddress, "data_address", "node", "handle, address, bytes"},
    {kDataRequest, "data_request", "DataRequest", "handle, node"},

    {kCopyBegin, "copy_begin", "source node | destination node << 16",
     "bytes, source address, destination address"},
    {kCopyStarted, "copy_started", "0", "id of an asynchronous part of the open copy, bytes"},
    {kCopyEnd, "copy_end", "result; -EAGAIN: goes on asynchronously", "bytes"},
    {kCopyDone, "copy_done", "0, or the error of the device",
     "id, ns it took on the device; 0: the device does not tell"},
    {kDataCopy, "data_copy", "source node | destination node << 16",
     "bytes of the whole handle that the copies before it on this thread moved"},
    {kAllocate, "allocate", "node", "address, bytes"},
    {kFree, "free", "node", "address, bytes"},

    {kUserEvent, "user_event", "0", "code"},
    {kUserText, "user_text", "string id", "none"},
    {kIterationPush, "iteration_push", "context", "iteration"},
    {kIterationPop, "iteration_pop", "context", "none"},
    {kFxtStart, "fxt_start", "0", "none"},
    {kFxtStop, "fxt_stop", "0", "none"},
    {kMpiPost, "mpi_post", "MpiFlag",
     "message, handle, peer | own rank, tag, bytes, priority, communicator"},
    {kMpiRequest, "mpi_request", "0", "message, request of StarPU-MPI"},
    {kMpiDone, "mpi_done", "MpiFlag", "message, or with by_request the request"},
};

inline constexpr uint16_t kind(Event event) noexcept {
  return make_kind(ProducerId::kStarpu, event);
}

/// Our own numbers: StarPU renumbers its own from release to release.
enum class Architecture : uint32_t {
  kCpu = 0,
  kCuda = 1,
  kOpencl = 2,
  kOther = 3,
  kDisk = 4  // memory nodes only
};

/// Where a codelet may run, our own bits again.
enum Where : uint32_t {
  kOnCpu = 1,
  kOnCuda = 2,
  kOnOpencl = 4,
  kOnOther = 8,
  kNowhere = 16,  // the task does nothing; its submission and its end are all there is
};

/// What the hooks can see of this StarPU; a missing bit explains missing records.
enum Abilities : uint64_t {
  kSeesTasks = 1,       // starpu_task_submit is interposed
  kSeesFields = 2,      // the layout of tasks was found: priority, tag, flops, accesses
  kSeesExecution = 4,   // codelet functions are wrapped
  kSeesScheduling = 8,  // policies are hooked: push, pop, pre_exec, post_exec
  kSeesCallbacks = 16,  // callbacks are wrapped
};

/// kRuntime's third word.
enum class Detail : uint64_t { kTasks = 0, kEverything = 1 };

enum SubmitFlag : uint32_t {
  kSynchronous = 1,
  kHasTag = 2,
  kOnSpecificWorker = 4,
  kDetached = 16,
  kDestroyed = 32,    // StarPU frees it
  kHasCallback = 64,  // of its own or of its codelet
  kWithoutDependencies = 128,
  kFieldsUnknown = 256,   // without kSeesFields: only task, context 0 and the name are meant
  kRunsNowhere = 512,     // it has a codelet, and that or the task itself says: nowhere
  kTagIsLabel = 1024,     // the tag only says something (STARPU_TAG_ONLY): no dependencies by it
  kInTransaction = 2048,  // the last access is the one that StarPU adds, of its transaction's
                          // hidden handle; handle 0 and kNotOrdered if that is not known
};

/// An access is two words: the handle, then its mode in the low 16 bits and its bytes above.
/// Bits of the mode as in StarPU's own enumeration.
enum AccessMode : uint32_t {
  kRead = 1,
  kWrite = 2,
  kScratch = 4,
  kReduction = 8,
  kCommute = 16,
  kSynchronousSend = 32,
  kLocality = 64,
  kNotOrdered = 1u << 15,  // ours: takes no part in implicit dependencies
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
  kForSubmitted = 5,     // until at most so many are left; inside a submission: throttled
  kForSubmittedInContext = 6,
  kForNoneReady = 7,
  kForTag = 8,            // tag
  kForTags = 9,           // number of tags
  kForData = 10,          // handle, AccessMode: starpu_data_acquire and its kin
  kForUnregister = 11,    // handle
  kForUnpartition = 12,   // handle
  kForExecuteOnAll = 13,  // starpu_execute_on_each_worker and its kin
  kForPrefetch = 14,      // handle, mode 0: starpu_data_fetch_on_node
  kForMessage = 15,       // starpu_mpi_wait
  kForMpi = 16,           // starpu_mpi_wait_for_all
  kForMpiBarrier = 17,    // starpu_mpi_barrier
};

enum ExecFlag : uint32_t {
  kExecAsync = 1,  // the function only starts the kernel; see kPostExec
};

enum MpiFlag : uint32_t {
  kMpiReceives = 1,     // else it sends
  kMpiSynchronous = 2,  // a send that ends when it is received
  kMpiInCallback = 4,   // told by StarPU-MPI's own thread
  kMpiByRequest = 8,
};

/// Which of a task's callbacks.
enum class CallbackKind : uint32_t {
  kAtEnd = 0,          // callback_func: its successors have been released
  kWhenReady = 1,      // prologue_callback_func: before kPush, on the thread that made it ready
  kWhenPopped = 2,     // prologue_callback_pop_func: after kPop on the worker, before the input
  kBeforeRelease = 3,  // epilogue_callback_func (1.4): after the outputs, before its successors
};

/// The record of kOpened is after the submission of the task that begins it, the others are before
/// theirs.
enum class TransactionStep : uint32_t { kOpened = 0, kNextEpoch = 1, kClosed = 2 };

enum class TagChange : uint32_t { kNotified = 1, kRestarted = 2, kRemoved = 3 };

enum class DataRequest : uint32_t {
  kPrefetch = 1,
  kIdlePrefetch = 2,
  kWontUse = 3,
  kInvalidate = 4,
  kInvalidateSubmit = 5,
  kUnregisterSubmit = 6,
};

/// Two halves of a word.
constexpr uint64_t halves(uint32_t low, uint32_t high) noexcept {
  return uint64_t{low} | uint64_t{high} << 32;
}
constexpr uint32_t low_half(uint64_t word) noexcept { return static_cast<uint32_t>(word); }
constexpr uint32_t high_half(uint64_t word) noexcept { return static_cast<uint32_t>(word >> 32); }

}  // namespace perseid::starpu
