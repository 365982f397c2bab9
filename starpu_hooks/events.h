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
//   kPop                         on the worker that will run it. The first pop after work says
//                                how long it took; so does the kIdle of one that failed
//   kPreExec                     its inputs are there: kPop to kPreExec is "fetching input"
//   kExecBegin .. kExecEnd       the codelet's function
//   kPostExec                    its outputs are pushed; for an asynchronous kernel (kExecAsync)
//                                the time at which it had really ended
//   kCallbackBegin .. kCallbackEnd   four kinds, each at its own time: see CallbackKind
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
//   kAcquire                     an access without waiting: it is made by the call, and the
//                                data comes later. Every such access has one, also those of
//                                starpu_data_invalidate_submit, _unregister_submit, _wont_use and
//                                StarPU-MPI's messages: a kDataRequest or kMpiPost before it has
//                                what it is for, and is no access itself
//   kRelease                     the first one ends the access for the order, whatever mode is
//                                kept (starpu_data_release_to, 1.4)
//
// StarPU's own tasks _starpu_data_acquire_* stand for the same accesses and have no data.
//
// Integers narrower than a word share one, first the low half. Doubles are stored by their bits.
#pragma once

#include "capture/event_info.h"
#include "capture/payload.h"
#include "starpu_hooks/numbers.h"

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
  // What there is, recorded once after each kInitEnd and when it changes
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
  kDataCopy = 73,  // in older captures; nothing is made of it
  kAllocate = 74,
  kFree = 75,
  kCopyStarted = 76,
  // What the program marks
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
    {kRuntime,
     "runtime",
     {field::string("file", "of StarPU")},
     {field::number("major").bits(0, 16), field::number("minor").bits(16, 16),
      field::number("release").high(), field::flags("abilities", kAbilityNames),
      field::choice("detail", kDetailNames)}},
    {kInitBegin, "init_begin", {}, {}},
    {kInitEnd,
     "init_end",
     {field::signed_number("result", "of starpu_init")},
     {field::number("workers").low(), field::number("memory_nodes").high()}},
    {kShutdownBegin, "shutdown_begin", {}, {}},
    {kShutdownEnd, "shutdown_end", {}, {}},
    {kPauseWorkers, "pause_workers", {}, {}},
    {kResumeWorkers, "resume_workers", {}, {}},

    {kWorker,
     "worker",
     {field::number("worker")},
     {field::string("name").low(), field::choice("architecture", kArchitectureNames).high(),
      field::number("memory_node").low(), field::signed_number("device").high(),
      field::signed_number("cpu", "it is bound to; -1: none")}},
    {kWorkerThread, "worker_thread", {field::number("worker", "this thread is from now on")}, {}},
    {kCombinedWorker,
     "combined_worker",
     {field::number("id")},
     {field::number("worker").repeated()}},
    {kMemoryNode,
     "memory_node",
     {field::number("node")},
     {field::string("name").low(), field::choice("architecture", kArchitectureNames).high(),
      field::signed_number("device"), field::number("bytes", "0: unlimited")}},
    {kContext,
     "context",
     {field::number("context")},
     {field::string("policy"), field::number("worker").repeated()}},
    {kCodelet,
     "codelet",
     {field::string("name")},
     {field::address("codelet"), field::string("model").low(),
      field::flags("where", kWhereNames).high(), field::signed_number("buffers", "-1: varies")}},
    {kFunction,
     "function",
     {field::string("symbol")},
     {field::address("address"), field::string("file"),
      field::number("offset", "in the file as it is mapped")}},
    {kCodeletFunction,
     "codelet_function",
     {field::choice("architecture", kArchitectureNames)},
     {field::address("codelet"), field::number("implementation"), field::address("function")}},

    {kSubmit,
     "submit",
     {field::string("name", "of the task")},
     {field::address("task"), field::address("codelet"), field::signed_number("priority").low(),
      field::number("context").high(), field::flags("flags", kSubmitFlagNames).low(),
      field::signed_number("worker", "-1: any").high(), field::number("tag").optional(),
      field::real("flops"), field::address("handle").repeated(),
      field::flags("mode", kAccessModeNames).bits(0, 16), field::number("bytes").bits(16, 48)}},
    {kMoreAccesses,
     "more_accesses",
     {},
     {field::address("task"), field::address("handle").repeated(),
      field::flags("mode", kAccessModeNames).bits(0, 16), field::number("bytes").bits(16, 48)}},
    {kSubmitEnd,
     "submit_end",
     {field::signed_number("result", "not 0: the task did not enter")},
     {field::address("task")}},
    {kWaitBegin,
     "wait_begin",
     {field::choice("wait", kWaitKindNames)},
     {field::identity("object", "task, tag, handle, number or context"),
      field::flags("mode", kAccessModeNames, "of access to data")}},
    {kWaitEnd,
     "wait_end",
     {field::choice("wait", kWaitKindNames)},
     {field::signed_number("result")}},
    {kAcquire,
     "acquire",
     {field::signed_number("node", "negative: none")},
     {field::address("handle"), field::flags("mode", kAccessModeNames)}},
    {kRelease,
     "release",
     {field::signed_number("node")},
     {field::address("handle"),
      field::flags("mode", kAccessModeNames, "in which it is kept; left out if 0").optional()}},

    {kPush, "push", {field::number("context")}, {field::address("task")}},
    {kPushEnd,
     "push_end",
     {field::signed_number("result", "of the policy")},
     {field::address("task")}},
    {kPop,
     "pop",
     {field::signed_number("worker")},
     {field::address("task"),
      field::number("context", "left out if both are 0").bits(0, 16).optional(),
      field::number("pop_ticks", "since the pop began; 0: not known").bits(16, 48)}},
    {kIdle,
     "idle",
     {field::signed_number("worker", "that asked for a task and got none")},
     {field::number("context").bits(0, 16),
      field::number("pop_ticks", "since the pop began; 0: not known").bits(16, 48)}},

    {kReady, "ready", {field::number("context")}, {field::address("task")}},

    {kPreExec,
     "pre_exec",
     {field::signed_number("worker")},
     {field::address("task"), field::number("context", "left out if 0").optional()}},
    {kExecBegin,
     "exec_begin",
     {field::signed_number("worker")},
     {field::address("task"), field::address("function"),
      field::number("implementation").low().optional(),
      field::flags("flags", kExecFlagNames).high(),
      field::signed_number("combined_worker", "-1: none").low().optional(),
      field::number("workers", "of the combined one").high(), field::real("predicted", "us"),
      field::real("predicted_transfer", "us"), field::identity("footprint")}},
    {kExecEnd, "exec_end", {field::signed_number("worker")}, {field::address("task")}},
    {kPostExec,
     "post_exec",
     {field::signed_number("worker")},
     {field::address("task"), field::number("context", "left out if 0").optional()}},
    {kCallbackBegin,
     "callback_begin",
     {field::signed_number("worker", "-1: none")},
     {field::address("task"), field::address("function"),
      field::choice("callback", kCallbackKindNames, "left out if 0").optional()}},
    {kCallbackEnd,
     "callback_end",
     {field::signed_number("worker", "-1: none")},
     {field::address("task")}},
    {kTaskClean, "task_clean", {}, {field::address("task")}},

    {kTaskDeps,
     "task_deps",
     {field::choice("before", kBeforeNames, "what of the task waits")},
     {field::address("task"), field::address("predecessor").repeated()}},
    {kTagDeps, "tag_deps", {}, {field::number("tag"), field::number("predecessor").repeated()}},
    {kTagChange, "tag_change", {field::choice("change", kTagChangeNames)}, {field::number("tag")}},
    {kEndDependency,
     "end_dependency",
     {field::number("added", "0: one is released")},
     {field::address("task")}},
    {kTransaction,
     "transaction",
     {field::choice("step", kTransactionStepNames)},
     {field::address("transaction"), field::address("handle", "hidden; 0: not known")}},

    {kDataRegister,
     "data_register",
     {field::number("interface")},
     {field::address("handle"), field::number("bytes"),
      field::address("address", "in main memory; 0: none"),
      field::signed_number("home_node", "-1: none")}},
    {kDataUnregister, "data_unregister", {}, {field::address("handle")}},
    {kDataName, "data_name", {field::string("name")}, {field::address("handle")}},
    {kDataCoordinates,
     "data_coordinates",
     {field::number("count")},
     {field::address("handle"), field::signed_number("coordinate").repeated()}},
    {kDataPartition,
     "data_partition",
     {field::choice("change", kPartitionNames)},
     {field::address("handle"), field::address("child").repeated(), field::number("bytes"),
      field::address("address", "in main memory; 0: none")}},
    {kDataAddress,
     "data_address",
     {field::number("node")},
     {field::address("handle"), field::address("address"), field::number("bytes")}},
    {kDataRequest,
     "data_request",
     {field::choice("request", kDataRequestNames)},
     {field::address("handle"), field::signed_number("node")}},

    {kCopyBegin,
     "copy_begin",
     {field::number("source_node").bits(0, 16), field::number("destination_node").bits(16, 16)},
     {field::number("bytes"), field::address("source"), field::address("destination")}},
    {kCopyStarted,
     "copy_started",
     {},
     {field::identity("id", "of an asynchronous part of the open copy"), field::number("bytes")}},
    {kCopyEnd,
     "copy_end",
     {field::signed_number("result", "-EAGAIN: goes on asynchronously")},
     {field::number("bytes")}},
    {kCopyDone,
     "copy_done",
     {field::signed_number("error", "of the device; 0: none")},
     {field::identity("id"), field::number("device_ns", "0: not known")}},
    {kDataCopy,
     "data_copy",
     {field::number("source_node").bits(0, 16), field::number("destination_node").bits(16, 16)},
     {field::number("bytes",
                    "of the whole handle that the copies before it on this thread moved")}},
    {kAllocate,
     "allocate",
     {field::number("node")},
     {field::address("address"), field::number("bytes")}},
    {kFree, "free", {field::number("node")}, {field::address("address"), field::number("bytes")}},

    {kUserEvent, "user_event", {}, {field::number("code")}},
    {kUserText, "user_text", {field::string("text")}, {}},
    {kIterationPush, "iteration_push", {field::number("context")}, {field::number("iteration")}},
    {kIterationPop, "iteration_pop", {field::number("context")}, {}},
    {kFxtStart, "fxt_start", {}, {}},
    {kFxtStop, "fxt_stop", {}, {}},

    {kMpiPost,
     "mpi_post",
     {field::flags("flags", kMpiFlagNames)},
     {field::identity("message"), field::address("handle"), field::signed_number("peer").low(),
      field::signed_number("rank", "of this process").high(), field::signed_number("tag"),
      field::number("bytes"), field::signed_number("priority").low(),
      field::identity("communicator")}},
    {kMpiRequest,
     "mpi_request",
     {},
     {field::identity("message"), field::identity("request", "of StarPU-MPI")}},
    {kMpiDone,
     "mpi_done",
     {field::flags("flags", kMpiFlagNames)},
     {field::identity("message", "or with by_request the request")}},
};

inline constexpr uint16_t kind(Event event) noexcept {
  return make_kind(ProducerId::kStarpu, event);
}

/// Second word of kPop and kIdle.
inline constexpr uint64_t pop_word(uint64_t context, uint64_t pop_ticks) noexcept {
  constexpr uint64_t kMaxTicks = (uint64_t{1} << 48) - 1;
  return (context & 0xffff) | (pop_ticks < kMaxTicks ? pop_ticks : kMaxTicks) << 16;
}
inline constexpr uint64_t pop_ticks(uint64_t word) noexcept { return word >> 16; }

using perseid::halves;
using perseid::high_half;
using perseid::low_half;

}  // namespace perseid::starpu
