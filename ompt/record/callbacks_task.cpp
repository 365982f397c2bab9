// ompt/record/callbacks_task.cpp: explicit tasks: creation, scheduling, dependences.
#include <algorithm>

#include "ompt/record/hooks.h"
#include "ompt/record/return_address.h"

namespace perseid::ompt {
namespace {

uint32_t own_stream() noexcept { return t_ring ? t_ring->info().stream : 0; }

/// The runtime's word of a task holds the task's id, but for two kinds of task that the decoder
/// knows from the order of records: implicit ones, and those that stand for a wait for dependences.
/// LLVM's runtime (14 to 19) keeps the words of both in the same place of the thread and ends the
/// program with an assertion if it finds one of them there when a wait for dependences begins.
bool keeps_id(uint32_t flags) noexcept { return (flags & kTaskTaskwait) == 0; }

/// flatten: every task comes here, and calls of what is small cost as much as what they do.
[[gnu::flatten]] void on_task_create(Data*, const Frame*, Data* task, int flags, int,
                                     const void* address) noexcept {
  const auto bits = static_cast<uint32_t>(flags);
  const uint64_t id = new_id();
  if (task && keeps_id(bits)) [[likely]]
    task->value = id != 0 ? id : kUnrecordedTask;
  if (!is_recording()) return;
  if (!address) [[unlikely]]
    address = find_program_address();
  note_code(address);
  const auto at = reinterpret_cast<uint64_t>(address);
  if (is_own_task(own_stream(), id) && at <= kCodeAddress && (bits & ~kShortTaskFlags) == 0) {
    emit(kind(kOwnTaskCreate), static_cast<uint32_t>(id), code_and_flags(at, bits));
  } else {
    emit(kind(kTaskCreate), bits, id, at);
  }
}

uint64_t id_in(const Data* task) noexcept {
  const uint64_t value = value_of(task);
  return value != kUnrecordedTask ? value : 0;
}

/// Everything that has no short record.
[[gnu::noinline]] void record_schedule(const Data* prior, TaskStatus status,
                                       const Data* next) noexcept {
  const auto arg = static_cast<uint32_t>(status);
  if (!next) {
    emit(kind(kTaskNote), arg, id_in(prior));
  } else if (status == TaskStatus::kSwitch || status == TaskStatus::kYield) {
    emit(kind(kTaskSwitch), arg, id_in(next));
  } else {
    emit(kind(kTaskEnd), arg, id_in(prior), id_in(next));
  }
}

[[gnu::flatten]] void on_task_schedule(Data* prior, TaskStatus status, Data* next) noexcept {
  const uint64_t to = next ? next->value : kUnrecordedTask;
  const bool is_end = status == TaskStatus::kComplete;
  const bool is_switch = status == TaskStatus::kSwitch || status == TaskStatus::kYield;
  const bool has_short_form =
      is_end ? to != kUnrecordedTask : is_switch && (to == 0 || is_own_task(own_stream(), to));
  if (has_short_form) {
    emit(is_end ? kind(kTaskReturn) : kind(kOwnTaskSwitch), static_cast<uint32_t>(to));
  } else {
    record_schedule(prior, status, next);
  }
}

/// Dependences between iterations of an ordered loop come here, too: they do not belong to tasks.
bool is_between_tasks(const Dependence& dependence) noexcept {
  return dependence.type != DependenceType::kSource && dependence.type != DependenceType::kSink;
}

uint64_t packed(const Dependence& dependence) noexcept {
  return uint64_t{static_cast<uint32_t>(dependence.type)} << kDependenceTypeShift |
         (dependence.variable.value & kDependenceAddress);
}

void on_dependences(Data* task, const Dependence* dependences, int count) noexcept {
  if (!task || count <= 0 || !is_recording() || !is_between_tasks(dependences[0])) return;
  const uint64_t id = task->value;
  const bool has_short_form = id == 0 || is_own_task(own_stream(), id);
  constexpr size_t kMaxInRecord = kMaxRecordWords - 1;
  uint64_t words[kMaxRecordWords];
  for (size_t done = 0; done < static_cast<size_t>(count);) {
    const size_t now = std::min(kMaxInRecord, static_cast<size_t>(count) - done);
    words[0] = id;
    for (size_t i = 0; i < now; ++i) words[i + 1] = packed(dependences[done + i]);
    if (has_short_form) {
      emit_words(kind(kOwnDependences), static_cast<uint32_t>(id), words + 1, now);
    } else {
      emit_words(kind(kDependences), static_cast<uint32_t>(now), words, now + 1);
    }
    done += now;
  }
}

}  // namespace

std::span<const Hook> task_hooks() noexcept {
  static const Hook hooks[] = {
      hook(CallbackId::kTaskCreate, on_task_create),
      hook(CallbackId::kTaskSchedule, on_task_schedule),
      hook(CallbackId::kDependences, on_dependences),
  };
  return hooks;
}

}  // namespace perseid::ompt
