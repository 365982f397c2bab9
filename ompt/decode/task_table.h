// ompt/decode/task_table.h: the tasks that exist now.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "ompt/decode/dependences.h"
#include "ompt/numbers.h"
#include "timeline/drawing/slice.h"
#include "timeline/model/id_table.h"
#include "timeline/model/tasks.h"

namespace perseid::ompt {

/// The outgoing end of an arrow, kept until the other end is known.
struct Arrow {
  uint64_t id = 0;  // 0: there is none
  int64_t source_begin_ns = 0;
  FlowKind kind = FlowKind::kUser;

  FlowEnd arriving(int64_t at_ns) const noexcept {
    return {id, false, at_ns, source_begin_ns, kind};
  }
};

/// Tasks that somebody waits for together: the children of a task, or a taskgroup.
struct WaitedTasks {
  uint32_t unfinished = 0;
  uint32_t waiter = 0;  // stream of the thread that waits for them; 0: nobody does
  Arrow last;           // from the last of them, if it ended on another thread during the wait
};

struct Taskgroup {
  Taskgroup() = default;
  Taskgroup(const Taskgroup&) = delete;
  Taskgroup& operator=(const Taskgroup&) = delete;
  /// One after the other: groups whose ends are missing may contain each other a million times.
  ~Taskgroup() {
    for (auto next = std::move(outer); next && next.use_count() == 1;)
      next = std::move(next->outer);
  }

  WaitedTasks tasks;
  std::shared_ptr<Taskgroup> outer;
};

/// Initial and implicit tasks are here, too: they are parents.
struct Task {
  uint64_t id = 0;
  Tasks::Ref ref = Tasks::kNone;  // in the model; kNone: not an explicit task
  TaskId number = 0;              // in the model; 0: not an explicit task
  TaskId enclosing = 0;           // the innermost explicit task that it is in, or it itself
  bool is_used = false;           // or its place in the table is free
  uint32_t flags = 0;
  uint64_t parent = 0;
  uint64_t region = 0;         // of an implicit task
  uint64_t code = 0;           // of the construct that created it; 0: not known
  uint64_t taskloop_code = 0;  // of the taskloop that it executes now
  std::string_view name;
  uint32_t intervals = 0;    // how often it was started or resumed
  bool is_detached = false;  // its code is done, its event is not fulfilled
  bool is_over = false;
  bool has_dependences = false;
  uint64_t depends_on = 0;  // tasks
  Arrow creation;
  Arrow suspension;
  WaitedTasks children;
  std::shared_ptr<Taskgroup> member_of;
  std::shared_ptr<Taskgroup> innermost;  // that it has opened, or is a member of
  std::unique_ptr<DependenceScope> scope;

  bool is_explicit() const noexcept { return number != 0; }
  /// Stands for a `taskwait` with dependences: it executes nothing.
  bool is_wait() const noexcept { return (flags & kTaskTaskwait) != 0; }
};

class TaskTable {
 public:
  /// Null for 0 and for tasks whose creation was not recorded.
  Task* find(uint64_t id) noexcept {
    Task** const found = id != 0 ? tasks_.find(id) : nullptr;
    return found != nullptr ? *found : nullptr;
  }
  /// `id` is not there: see Context::add_task().
  Task& add(uint64_t id);
  void remove(Task& task);
  template <class Use>
  void for_each(Use&& use) {
    for (Task& task : pool_) {
      if (task.is_used) use(task);
    }
  }
  size_t size() const noexcept { return tasks_.size(); }

 private:
  IdTable<Task*> tasks_;
  std::deque<Task> pool_;  // never shrinks, so that a pointer to a task is always one
  std::vector<Task*> free_;
};

}  // namespace perseid::ompt
