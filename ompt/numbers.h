// ompt/numbers.h: the numbers that OpenMP 5.2 gives to kinds and flags of its tools interface.
// Records carry them as they come; both halves read them.
#pragma once

#include "capture/event_info.h"

namespace perseid::ompt {

enum class ThreadType : uint32_t { kInitial = 1, kWorker = 2, kOther = 3, kUnknown = 4 };
inline constexpr ValueName kThreadTypeNames[] = {
    {ThreadType::kInitial, "initial"},
    {ThreadType::kWorker, "worker"},
    {ThreadType::kOther, "other"},
    {ThreadType::kUnknown, "unknown"},
};

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
inline constexpr ValueName kTaskStatusNames[] = {
    {TaskStatus::kComplete, "complete"},
    {TaskStatus::kYield, "yield"},
    {TaskStatus::kCancel, "cancel"},
    {TaskStatus::kDetach, "detach"},
    {TaskStatus::kEarlyFulfill, "early_fulfill"},
    {TaskStatus::kLateFulfill, "late_fulfill"},
    {TaskStatus::kSwitch, "switch"},
    {TaskStatus::kTaskwaitComplete, "taskwait_complete"},
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
inline constexpr ValueName kTaskFlagNames[] = {
    {kTaskInitial, "initial"}, {kTaskImplicit, "implicit"}, {kTaskExplicit, "explicit"},
    {kTaskTarget, "target"},   {kTaskTaskwait, "taskwait"}, {kTaskUndeferred, "undeferred"},
    {kTaskUntied, "untied"},   {kTaskFinal, "final"},       {kTaskMergeable, "mergeable"},
    {kTaskMerged, "merged"},
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
inline constexpr ValueName kSyncKindNames[] = {
    {SyncKind::kBarrier, "barrier"},
    {SyncKind::kBarrierImplicit, "barrier_implicit"},
    {SyncKind::kBarrierExplicit, "barrier_explicit"},
    {SyncKind::kBarrierImplementation, "barrier_implementation"},
    {SyncKind::kTaskwait, "taskwait"},
    {SyncKind::kTaskgroup, "taskgroup"},
    {SyncKind::kReduction, "reduction"},
    {SyncKind::kBarrierImplicitWorkshare, "barrier_implicit_workshare"},
    {SyncKind::kBarrierImplicitParallel, "barrier_implicit_parallel"},
    {SyncKind::kBarrierTeams, "barrier_teams"},
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
inline constexpr ValueName kWorkKindNames[] = {
    {WorkKind::kLoop, "loop"},
    {WorkKind::kSections, "sections"},
    {WorkKind::kSingleExecutor, "single_executor"},
    {WorkKind::kSingleOther, "single_other"},
    {WorkKind::kWorkshare, "workshare"},
    {WorkKind::kDistribute, "distribute"},
    {WorkKind::kTaskloop, "taskloop"},
    {WorkKind::kScope, "scope"},
    {WorkKind::kLoopStatic, "loop_static"},
    {WorkKind::kLoopDynamic, "loop_dynamic"},
    {WorkKind::kLoopGuided, "loop_guided"},
    {WorkKind::kLoopOther, "loop_other"},
};

enum class DispatchKind : uint32_t {
  kIteration = 1,
  kSection = 2,
  kLoopChunk = 3,
  kTaskloopChunk = 4,
  kDistributeChunk = 5,
};
inline constexpr ValueName kDispatchKindNames[] = {
    {DispatchKind::kIteration, "iteration"},
    {DispatchKind::kSection, "section"},
    {DispatchKind::kLoopChunk, "loop_chunk"},
    {DispatchKind::kTaskloopChunk, "taskloop_chunk"},
    {DispatchKind::kDistributeChunk, "distribute_chunk"},
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
inline constexpr ValueName kMutexKindNames[] = {
    {MutexKind::kLock, "lock"},          {MutexKind::kTestLock, "test_lock"},
    {MutexKind::kNestLock, "nest_lock"}, {MutexKind::kTestNestLock, "test_nest_lock"},
    {MutexKind::kCritical, "critical"},  {MutexKind::kAtomic, "atomic"},
    {MutexKind::kOrdered, "ordered"},
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
inline constexpr ValueName kDependenceTypeNames[] = {
    {DependenceType::kIn, "in"},
    {DependenceType::kOut, "out"},
    {DependenceType::kInout, "inout"},
    {DependenceType::kMutexinoutset, "mutexinoutset"},
    {DependenceType::kSource, "source"},
    {DependenceType::kSink, "sink"},
    {DependenceType::kInoutset, "inoutset"},
    {DependenceType::kOutAllMemory, "out_all_memory"},
    {DependenceType::kInoutAllMemory, "inout_all_memory"},
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
inline constexpr ValueName kCancelFlagNames[] = {
    {kCancelParallel, "parallel"},
    {kCancelSections, "sections"},
    {kCancelLoop, "loop"},
    {kCancelTaskgroup, "taskgroup"},
    {kCancelActivated, "activated"},
    {kCancelDetected, "detected"},
    {kCancelDiscardedTask, "discarded_task"},
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

/// Bits 0-2 of a TargetKind, and bits 0-3 of a DataOperation.
inline constexpr ValueName kTargetNames[] = {
    {1, "target"}, {2, "enter_data"}, {3, "exit_data"}, {4, "update"}};
inline constexpr ValueName kDataOperationNames[] = {{1, "alloc"},       {2, "to_device"},
                                                    {3, "from_device"}, {4, "delete"},
                                                    {5, "associate"},   {6, "disassociate"}};

/// Flags of a task as kOwnTaskCreate packs them: bits 0-4 and 27-31 side by side.
inline constexpr ValueName kShortTaskFlagNames[] = {
    {0x1, "initial"},     {0x2, "implicit"},    {0x4, "explicit"}, {0x8, "target"},
    {0x10, "taskwait"},   {0x20, "undeferred"}, {0x40, "untied"},  {0x80, "final"},
    {0x100, "mergeable"}, {0x200, "merged"}};

/// What the two highest bits of kParallelBegin's argument are, moved down.
inline constexpr ValueName kRegionNames[] = {{1, "league"}, {2, "team"}};

}  // namespace perseid::ompt
