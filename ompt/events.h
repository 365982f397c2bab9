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
// bytes: where the long records would add nothing, the short ones are written instead. They
// name a task by the lower half of its id; the upper half is the recording thread's stream in bits
// 40-63.
#pragma once

#include "capture/event_info.h"
#include "ompt/numbers.h"

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
  kRuntime = 38,
};

inline constexpr EventInfo kEvents[] = {
    {kThreadBegin, "thread_begin", {field::choice("type", kThreadTypeNames)}, {}},
    {kThreadEnd, "thread_end", {}, {}},
    {kParallelBegin,
     "parallel_begin",
     {field::number("threads", "asked for").bits(0, 30),
      field::flags("flags", kRegionNames).bits(30, 2)},
     {field::number("region"), field::address("code")}},
    {kParallelEnd, "parallel_end", {}, {field::number("region")}},
    {kImplicitBegin,
     "implicit_begin",
     {field::number("number", "in the team")},
     {field::number("task"), field::number("region"), field::number("team_size").low(),
      field::number("place", "plus 1; 0: none").high(), field::flags("flags", kTaskFlagNames).low(),
      field::number("processor", "plus 1; 0: not known").high()}},
    {kImplicitEnd, "implicit_end", {field::flags("flags", kTaskFlagNames)}, {}},
    {kTaskCreate,
     "task_create",
     {field::flags("flags", kTaskFlagNames)},
     {field::number("task"), field::address("code")}},
    {kTaskSwitch,
     "task_switch",
     {field::choice("status", kTaskStatusNames)},
     {field::number("task", "that runs now")}},
    {kTaskEnd,
     "task_end",
     {field::choice("status", kTaskStatusNames)},
     {field::number("task", "that ended"), field::number("next", "task that runs now")}},
    {kTaskNote,
     "task_note",
     {field::choice("status", kTaskStatusNames)},
     {field::number("task", "0: not known")}},
    {kDependences,
     "dependences",
     {field::number("count", "in this record")},
     {field::number("task"), field::address("address").bits(0, 56).repeated(),
      field::choice("type", kDependenceTypeNames).bits(56, 8)}},
    {kSyncBegin, "sync_begin", {field::choice("sync", kSyncKindNames)}, {field::address("code")}},
    {kSyncEnd, "sync_end", {field::choice("sync", kSyncKindNames)}, {}},
    {kWaitBegin, "wait_begin", {field::choice("sync", kSyncKindNames)}, {}},
    {kWaitEnd, "wait_end", {field::choice("sync", kSyncKindNames)}, {}},
    {kWorkBegin,
     "work_begin",
     {field::choice("work", kWorkKindNames)},
     {field::address("code"), field::number("count", "iterations or sections")}},
    {kWorkEnd, "work_end", {field::choice("work", kWorkKindNames)}, {}},
    {kDispatch,
     "dispatch",
     {field::choice("dispatch", kDispatchKindNames)},
     {field::number("first", "iteration or section"), field::number("iterations")}},
    {kMaskedBegin, "masked_begin", {}, {field::address("code")}},
    {kMaskedEnd, "masked_end", {}, {}},
    {kMutexAcquire,
     "mutex_acquire",
     {field::choice("mutex_kind", kMutexKindNames)},
     {field::identity("mutex"), field::address("code")}},
    {kMutexAcquired,
     "mutex_acquired",
     {field::choice("mutex_kind", kMutexKindNames)},
     {field::identity("mutex")}},
    {kMutexReleased,
     "mutex_released",
     {field::choice("mutex_kind", kMutexKindNames)},
     {field::identity("mutex")}},
    {kCancel, "cancel", {field::flags("flags", kCancelFlagNames)}, {field::address("code")}},
    {kError,
     "error",
     {field::string("message")},
     {field::number("severity"), field::address("code")}},
    {kPlace, "place", {field::number("place")}, {field::number("processor").repeated()}},
    {kDevice, "device", {field::signed_number("device")}, {field::string("type")}},
    {kTargetBegin,
     "target_begin",
     {field::choice("target", kTargetNames).bits(0, 3), field::number("nowait").bits(3, 29)},
     {field::signed_number("device").low(), field::address("code")}},
    {kTargetEnd,
     "target_end",
     {field::choice("target", kTargetNames).bits(0, 3), field::number("nowait").bits(3, 29)},
     {field::signed_number("device").low()}},
    {kDataBegin,
     "data_begin",
     {field::choice("operation", kDataOperationNames).bits(0, 4),
      field::number("asynchronous").bits(4, 28)},
     {field::address("source"), field::signed_number("source_device").low(),
      field::signed_number("target_device").high(), field::address("target"),
      field::number("bytes")}},
    {kDataEnd,
     "data_end",
     {field::choice("operation", kDataOperationNames).bits(0, 4),
      field::number("asynchronous").bits(4, 28)},
     {}},
    {kSubmitBegin, "submit_begin", {field::number("teams", "asked for")}, {}},
    {kSubmitEnd, "submit_end", {field::number("teams", "asked for")}, {}},
    {kOwnTaskCreate,
     "own_task_create",
     {field::number("task", "lower half of its id")},
     {field::address("code").bits(0, 48), field::flags("flags", kShortTaskFlagNames).bits(48, 10)}},
    {kOwnTaskSwitch,
     "own_task_switch",
     {field::number("task", "lower half of the id; 0: the implicit task")},
     {}},
    {kTaskReturn,
     "task_return",
     {field::number("task",
                    "that goes on, lower half of its id; 0: the implicit task; what ran above it "
                    "is complete")},
     {}},
    {kOwnDependences,
     "own_dependences",
     {field::number("task", "lower half of the id; 0: the wait that begins")},
     {field::address("address").bits(0, 56).repeated(),
      field::choice("type", kDependenceTypeNames).bits(56, 8)}},
    {kRuntime, "runtime", {field::string("name", "and version, as it calls itself")}, {}},
};

inline constexpr uint16_t kind(Event event) noexcept { return make_kind(ProducerId::kOmpt, event); }

/// The two highest bits of kParallelBegin's argument.
inline constexpr uint32_t kRegionIsLeague = 0x40000000;
inline constexpr uint32_t kRegionIsTeam = 0x80000000;

/// The task's id that a short record means of the stream, and whether there is one for an id.
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
