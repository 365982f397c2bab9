// ompt/numbers.h: the numbers that OpenMP 5.2 gives to kinds and flags of its tools interface.
// Records carry them as they come; both halves read them.
#pragma once

#include <cstdint>

namespace perseid::ompt {

enum class ThreadType : uint32_t { kInitial = 1, kWorker = 2, kOther = 3, kUnknown = 4 };

enum class Endpoint : int { kBegin = 1, kEnd = 2, kBeginEnd = 3 };

enum class TaskStatus : uint32_t {
  kComplete = 1,
  kYield = 2,
  kCancel = 3,
  kDetach = 4,
  kEarlyFulfill = 5,
  kLateFulfill = 6,
  kSwitch = 7,
  kTaskwaitComplete = 8,
};

enum TaskFlag : uint32_t {
  kTaskInitial = 0x1,
  kTaskImplicit = 0x2,
  kTaskExplicit = 0x4,
  kTaskTarget = 0x8,
  kTaskTaskwait = 0x10,
  kTaskUndeferred = 0x08000000,
  kTaskUntied = 0x10000000,
  kTaskFinal = 0x20000000,
  kTaskMergeable = 0x40000000,
  kTaskMerged = 0x80000000,
};

enum class SyncKind : uint32_t {
  kBarrier = 1,
  kBarrierImplicit = 2,
  kBarrierExplicit = 3,
  kBarrierImplementation = 4,
  kTaskwait = 5,
  kTaskgroup = 6,
  kReduction = 7,
  kBarrierImplicitWorkshare = 8,
  kBarrierImplicitParallel = 9,
  kBarrierTeams = 10,
};

enum class WorkKind : uint32_t {
  kLoop = 1,
  kSections = 2,
  kSingleExecutor = 3,
  kSingleOther = 4,
  kWorkshare = 5,
  kDistribute = 6,
  kTaskloop = 7,
  kScope = 8,
  kLoopStatic = 10,
  kLoopDynamic = 11,
  kLoopGuided = 12,
  kLoopOther = 13,
};

enum class DispatchKind : uint32_t {
  kIteration = 1,
  kSection = 2,
  kLoopChunk = 3,
  kTaskloopChunk = 4,
  kDistributeChunk = 5,
};

enum class MutexKind : uint32_t {
  kLock = 1,
  kTestLock = 2,
  kNestLock = 3,
  kTestNestLock = 4,
  kCritical = 5,
  kAtomic = 6,
  kOrdered = 7,
};

enum class DependenceType : uint32_t {
  kIn = 1,
  kOut = 2,
  kInout = 3,
  kMutexinoutset = 4,
  kSource = 5,
  kSink = 6,
  kInoutset = 7,
  kOutAllMemory = 34,
  kInoutAllMemory = 35,
};

enum CancelFlag : uint32_t {
  kCancelParallel = 0x1,
  kCancelSections = 0x2,
  kCancelLoop = 0x4,
  kCancelTaskgroup = 0x8,
  kCancelActivated = 0x10,
  kCancelDetected = 0x20,
  kCancelDiscardedTask = 0x40,
};

enum ParallelFlag : uint32_t {
  kParallelLeague = 0x40000000,
  kParallelTeam = 0x80000000,
};

enum class TargetKind : uint32_t {
  kTarget = 1,
  kEnterData = 2,
  kExitData = 3,
  kUpdate = 4,
  kNowait = 8,  // added to the others
};

enum class DataOperation : uint32_t {
  kAlloc = 1,
  kToDevice = 2,
  kFromDevice = 3,
  kDelete = 4,
  kAssociate = 5,
  kDisassociate = 6,
  kAsynchronous = 16,  // added to the others
};

}  // namespace perseid::ompt
