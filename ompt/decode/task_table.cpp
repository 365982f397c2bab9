// ompt/decode/task_table.cpp: a pool, and ids that lead into it.
#include "ompt/decode/task_table.h"

namespace perseid::ompt {

Task& TaskTable::add(uint64_t id) {
  if (free_.empty()) {
    pool_.emplace_back();
    free_.push_back(&pool_.back());
  }
  Task* const task = free_.back();
  free_.pop_back();
  task->id = id;
  task->is_used = true;
  if (id != 0) tasks_[id] = task;
  return *task;
}

void TaskTable::remove(Task& task) {
  if (task.id != 0) tasks_.erase(task.id);
  task = Task();
  free_.push_back(&task);
}

}  // namespace perseid::ompt
