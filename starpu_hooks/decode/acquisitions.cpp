// starpu_hooks/decode/acquisitions.cpp: acquisitions as tasks of the model.
#include "starpu_hooks/decode/acquisitions.h"

#include <algorithm>

namespace perseid::starpu::decoding {
namespace {

/// Programs that never release what they acquired must not grow the memory of a walk.
constexpr size_t kMaxHeld = 65536;

}  // namespace

TaskId Acquisitions::add(const Thread& thread, int64_t at_ns, uint64_t handle, uint32_t mode,
                         bool is_reported) {
  if (!Dependencies::has_place(mode) || handle == 0) return 0;
  Tasks& tasks = parts_->model.tasks;
  TaskRow row;
  row.runtime = Runtime::kStarpu;
  row.name = row.kind = parts_->model.names.of("acquire data");
  row.submitted_by = thread.id;
  row.flags = kTaskAcquisition;
  const Tasks::Ref made = tasks.submit(row, at_ns);
  parts_->dependencies.order(made, handle, mode, at_ns);
  tasks.settle(made, at_ns, thread.id, is_reported);
  if (held_.size() >= kMaxHeld) {
    end(held_.front(), at_ns, thread.id);
    held_.erase(held_.begin());
  }
  held_.push_back({made, tasks.id(made), handle});
  return tasks.id(made);
}

TaskId Acquisitions::begin_wait(const Thread& thread, int64_t at_ns, uint64_t handle,
                                uint32_t mode) {
  return add(thread, at_ns, handle, mode, true);
}

void Acquisitions::end_wait(const Thread& thread, int64_t at_ns, TaskId acquisition) {
  const auto held = std::ranges::find(held_, acquisition, &Held::id);
  if (held != held_.end()) parts_->model.tasks.begin(held->ref, at_ns, thread.id, 0);
}

void Acquisitions::request(const Thread& thread, int64_t at_ns, uint64_t handle, uint32_t mode) {
  add(thread, at_ns, handle, mode, false);
  if (parts_->data.is_leaving(handle)) parts_->data.retire(handle);
}

TaskId Acquisitions::release(const Thread& thread, int64_t at_ns, uint64_t handle) {
  const auto oldest = std::ranges::find(held_, handle, &Held::handle);
  if (oldest == held_.end()) return 0;
  const Held held = *oldest;
  held_.erase(oldest);
  end(held, at_ns, thread.id);
  return held.id;
}

void Acquisitions::end(Held held, int64_t at_ns, ThreadId thread) {
  Tasks& tasks = parts_->model.tasks;
  if (tasks.is_running(held.ref)) tasks.end(held.ref, at_ns, thread, 0);
  tasks.finish(held.ref, at_ns, thread);
  tasks.release(held.ref, at_ns);
}

void Acquisitions::clear(int64_t at_ns) {
  for (const Held& held : held_) end(held, at_ns, 0);
  held_.clear();
}

}  // namespace perseid::starpu::decoding
