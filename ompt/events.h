// ompt/events.h: what the hooks of OpenMP's tools interface write.
//
// Numbers of kinds and flags are those of ompt/numbers.h. Ids of tasks and regions are ours, kept
// by the runtime in its ompt_data_t; 0 is a task or region whose begin was not recorded. A code
// address is where the runtime's function returns to, in the construct that called it.
//
// Implicit tasks, and those that stand for a wait for dependences, have ids in the records of their
// begin alone. Other records have 0 for them: on each thread they end in the reverse order.
//
// An explicit task costs three records: its creation, the switch onto it, its end. Who created it
// and who runs when it ends are known from the order of records on each thread. What costs is
// bytes: where the long records would say nothing more, the short ones stand in their place. They
// name a task by the lower half of its id; the upper half is the recording thread's stream in bits
// 40-63.
#pragma once

#include "capture/record.h"

namespace perseid::ompt {

enum Event : uint8_t {
  kThreadBegin = 1,
  kThreadEnd = 2,
  kParallelBegin = 3,
  kParallelEnd = 4,
  kImplicitBegin = 5,
  kImplicitEnd = 6,
  kTaskCreate = 7,
  kTaskSwitch = 8,
  kTaskEnd = 9,
  kTaskNote = 10,
  kDependences = 11,
  kSyncBegin = 12,
  kSyncEnd = 13,
  kWaitBegin = 14,
  kWaitEnd = 15,
  kWorkBegin = 16,
  kWorkEnd = 17,
  kDispatch = 18,
  kMaskedBegin = 19,
  kMaskedEnd = 20,
  kMutexAcquire = 21,
  kMutexAcquired = 22,
  kMutexReleased = 23,
  kCancel = 24,
  kError = 25,
  kPlace = 26,
  kDevice = 27,  // in older captures; nothing is made of it
  kTargetBegin = 28,
  kTargetEnd = 29,
  kDataBegin = 30,
  kDataEnd = 31,
  kSubmitBegin = 32,
  kSubmitEnd = 33,
  kOwnTaskCreate = 34,
  kOwnTaskSwitch = 35,
  kTaskReturn = 36,
  kOwnDependences = 37,
};

inline constexpr EventInfo kEvents[] = {
    {kThreadBegin, "thread_begin", "thread type", "none"},
    {kThreadEnd, "thread_end", "0", "none"},
    {kParallelBegin, "parallel_begin", "threads asked for, flags in the two highest bits",
     "region, code address"},
    {kParallelEnd, "parallel_end", "0", "region"},
    {kImplicitBegin, "implicit_begin", "number in the team",
     "task, region, team size in bits 0-31 and place + 1 in bits 32-63, flags"},
    {kImplicitEnd, "implicit_end", "flags", "none"},
    {kTaskCreate, "task_create", "flags", "task, code address"},
    {kTaskSwitch, "task_switch", "status", "task that runs now"},
    {kTaskEnd, "task_end", "status", "task that ended, task that runs now"},
    {kTaskNote, "task_note", "status", "task or 0"},
    {kDependences, "dependences", "dependences of the task in this record",
     "task, then for each one its type in bits 56-63 and its address below"},
    {kSyncBegin, "sync_begin", "kind", "code address"},
    {kSyncEnd, "sync_end", "kind", "none"},
    {kWaitBegin, "wait_begin", "kind", "none"},
    {kWaitEnd, "wait_end", "kind", "none"},
    {kWorkBegin, "work_begin", "kind", "code address, iterations or sections"},
    {kWorkEnd, "work_end", "kind", "none"},
    {kDispatch, "dispatch", "kind", "first iteration or section, iterations"},
    {kMaskedBegin, "masked_begin", "0", "code address"},
    {kMaskedEnd, "masked_end", "0", "none"},
    {kMutexAcquire, "mutex_acquire", "kind", "mutex, code address"},
    {kMutexAcquired, "mutex_acquired", "kind", "mutex"},
    {kMutexReleased, "mutex_released", "kind", "mutex"},
    {kCancel, "cancel", "flags", "code address"},
    {kError, "error", "string id of the message", "severity, code address"},
    {kPlace, "place", "place", "its processors"},
    {kDevice, "device", "device", "string id of its type; only in older captures"},
    {kTargetBegin, "target_begin", "kind", "device, code address"},
    {kTargetEnd, "target_end", "kind", "device"},
    {kDataBegin, "data_begin", "operation",
     "source, source device in bits 0-31 and target device in bits 32-63, target, bytes"},
    {kDataEnd, "data_end", "operation", "none"},
    {kSubmitBegin, "submit_begin", "teams asked for", "none"},
    {kSubmitEnd, "submit_end", "teams asked for", "none"},
    {kOwnTaskCreate, "own_task_create", "lower half of the task's id",
     "code address in bits 0-47, flags 0-4 in bits 48-52 and 27-31 in bits 53-57"},
    {kOwnTaskSwitch, "own_task_switch",
     "lower half of the id of a task that this thread created, or 0: the implicit task", "none"},
    {kTaskReturn, "task_return",
     "lower half of the id of the task that goes on, or 0: the implicit task; what ran above it is "
     "complete",
     "none"},
    {kOwnDependences, "own_dependences",
     "lower half of the id of a task that this thread created, or 0: the wait that begins",
     "for each dependence its type in bits 56-63 and its address below"},
};

inline constexpr uint16_t kind(Event event) noexcept { return make_kind(ProducerId::kOmpt, event); }

/// The two highest bits of kParallelBegin's argument.
inline constexpr uint32_t kRegionIsLeague = 0x40000000;
inline constexpr uint32_t kRegionIsTeam = 0x80000000;

/// The task's id behind a short record of the stream, and whether there is one for an id.
inline constexpr uint64_t own_task_id(uint32_t stream, uint32_t lower_half) noexcept {
  return uint64_t{stream} << 40 | lower_half;
}
inline constexpr bool is_own_task(uint32_t stream, uint64_t id) noexcept {
  return id != 0 && own_task_id(stream, static_cast<uint32_t>(id)) == id;
}

/// The word of kOwnTaskCreate, and what it is made of.
inline constexpr unsigned kTaskFlagsShift = 48;
inline constexpr uint32_t kShortTaskFlags = 0xf800001f;
inline constexpr uint64_t kCodeAddress = (uint64_t{1} << kTaskFlagsShift) - 1;
inline constexpr uint64_t code_and_flags(uint64_t code, uint32_t flags) noexcept {
  return code | uint64_t{(flags & 0x1f) | flags >> 27 << 5} << kTaskFlagsShift;
}
inline constexpr uint32_t flags_of(uint64_t word) noexcept {
  const auto packed = static_cast<uint32_t>(word >> kTaskFlagsShift);
  return (packed & 0x1f) | (packed >> 5 & 0x1f) << 27;
}

/// A dependence in one word. Addresses of programs have 56 bits at most.
inline constexpr unsigned kDependenceTypeShift = 56;
inline constexpr uint64_t kDependenceAddress = (uint64_t{1} << kDependenceTypeShift) - 1;

}  // namespace perseid::ompt
