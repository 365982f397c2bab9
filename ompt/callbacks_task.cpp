// ompt/callbacks_task.cpp: explicit tasks: creation, scheduling, dependences.
#include <algorithm>
#include <cstring>

#include "ompt/hooks.h"

namespace perseid::ompt {
namespace {

uint32_t own_stream() noexcept { return t_ring ? t_ring->info().stream : 0; }

void on_task_create(Data*, const Frame*, Data* task, int flags, int, const void* address) noexcept {
  const uint64_t id = new_id();
  if (task) task->value = id;
  const uint64_t at = code(address);
  const auto bits = static_cast<uint32_t>(flags);
  if (is_own_task(own_stream(), id) && at <= kCodeAddress && (bits & ~kShortTaskFlags) == 0) {
    emit(kind(kOwnTaskCreate), static_cast<uint32_t>(id), code_and_flags(at, bits));
  } else {
    emit(kind(kTaskCreate), bits, id, at);
  }
}

void on_task_schedule(Data* prior, TaskStatus status, Data* next) noexcept {
  const auto arg = static_cast<uint32_t>(status);
  if (!next) {
    emit(kind(kTaskNote), arg, value_of(prior));
  } else if (status == TaskStatus::kSwitch || status == TaskStatus::kYield) {
    if (is_own_task(own_stream(), next->value)) {
      emit(kind(kOwnTaskSwitch), static_cast<uint32_t>(next->value));
    } else {
      emit(kind(kTaskSwitch), arg, next->value);
    }
  } else if (status == TaskStatus::kComplete && next->value != 0) {
    emit(kind(kTaskReturn), static_cast<uint32_t>(next->value));
  } else {
    emit(kind(kTaskEnd), arg, value_of(prior), next->value);
  }
}

/// Dependences between iterations of an ordered loop come here, too: they are no tasks'.
bool is_between_tasks(const Dependence& dependence) noexcept {
  return dependence.type != DependenceType::kSource && dependence.type != DependenceType::kSink;
}

uint64_t packed(const Dependence& dependence) noexcept {
  return uint64_t{static_cast<uint32_t>(dependence.type)} << kDependenceTypeShift |
         (dependence.variable.value & kDependenceAddress);
}

void on_dependences(Data* task, const Dependence* dependences, int count) noexcept {
  if (!task || count <= 0 || !is_between_tasks(dependences[0])) return;
  constexpr size_t kMostInRecord = kMaxRecordWords - 1;
  for (size_t done = 0; done < static_cast<size_t>(count);) {
    if (!is_recording()) return;
    const InsideGuard guard;
    if (!guard) return count_nested();
    const size_t now = std::min(kMostInRecord, static_cast<size_t>(count) - done);
    const size_t bytes = sizeof(RecordHeader) + 8 + 8 * now;
    std::byte* at = room_for(bytes);
    if (!at) return;
    Ring::write_record(at, kind(kDependences), static_cast<uint32_t>(now), task->value);
    at[offsetof(RecordHeader, words)] = static_cast<std::byte>(now + 1);
    std::byte* word = at + sizeof(RecordHeader) + 8;
    for (size_t i = 0; i < now; ++i) {
      const uint64_t value = packed(dependences[done + i]);
      std::memcpy(word + 8 * i, &value, 8);
    }
    t_ring->commit(bytes);
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
