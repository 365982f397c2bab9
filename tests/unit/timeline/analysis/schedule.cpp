// tests/unit/timeline/analysis/schedule.cpp: sorts what was planned by time and writes its rows.
#include "tests/unit/timeline/analysis/schedule.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "timeline/model/rows_builder.h"

namespace perseid::test {

struct Schedule::Event {
  // In the order in which events of one time are written.
  enum class Kind : uint8_t {
    kRegion,
    kWait,
    kStretch,
    kEnd,
    kFinished,
    kSubmitted,
    kGroupFinished,
    kReady,
    kTaken,
    kFetch,
    kBegin,
    kRetired,
    kGroupRetired,
  };
  int64_t ns;
  Kind kind;
  size_t index;
  bool is_begin = false;  // of a wait or region

  friend bool operator<(const Event& a, const Event& b) {
    return std::tuple(a.ns, a.kind, a.index) < std::tuple(b.ns, b.kind, b.index);
  }
};

WorkerId Schedule::add_worker(WorkerKind kind, int64_t begin_ns) {
  WorkerRow row;
  row.id = static_cast<WorkerId>(workers_.size() + 1);
  row.thread = thread_of_worker(row.id);
  row.begin_ns = begin_ns;
  row.runtime = kind == WorkerKind::kOpenmpThread ? Runtime::kOpenmp : Runtime::kStarpu;
  row.kind = kind;
  row.name = names_.of("worker " + std::to_string(row.id));
  workers_.push_back(row);
  return row.id;
}

void Schedule::add_wait(WaitKind kind, int64_t begin_ns, int64_t end_ns, ThreadId thread,
                        uint64_t object) {
  waits_.push_back({begin_ns, end_ns, object, thread, 0, kind});
}

void Schedule::add_region(uint64_t number, int64_t begin_ns, int64_t end_ns, uint32_t size,
                          ThreadId thread, const std::string& name) {
  regions_.push_back(
      {begin_ns, end_ns, number, thread, size, names_.of(name), RegionKind::kParallel});
}

void Schedule::set_states(WorkerId worker, const std::vector<State>& states) {
  State now{workers_[worker - 1].begin_ns, WorkerState::kIdle, 0};
  for (const State& state : states) {
    stretches_.push_back({now.begin_ns, state.begin_ns, now.task, state.task, worker, now.state,
                          state.state, &state == &states.back()});
    now = state;
  }
}

void Schedule::fill_in() {
  for (PlannedTask& task : tasks_) {
    if (task.ready_ns == PlannedTask::kDefault) {
      task.ready_ns = task.submit_ns;
      const auto wait_for = [&](TaskId id) {
        task.ready_ns = std::max(task.ready_ns, tasks_[id - 1].end_ns);
      };
      for (const TaskId id : task.after) wait_for(id);
      for (const size_t group : task.after_groups) {
        for (const TaskId id : groups_[group]) wait_for(id);
      }
    }
    const int64_t first_ns = task.fetch_ns != PlannedTask::kDefault ? task.fetch_ns : task.begin_ns;
    if (task.taken_ns == PlannedTask::kDefault) task.taken_ns = first_ns;
  }
}

void Schedule::plan_stretches() {
  std::vector<std::vector<size_t>> by_worker(workers_.size());
  for (size_t i = 0; i < tasks_.size(); ++i) {
    const bool is_planned = tasks_[i].worker != 0 && tasks_[i].runtime == Runtime::kStarpu;
    if (is_planned && tasks_[i].has_begin) by_worker[tasks_[i].worker - 1].push_back(i);
  }
  int64_t end_ns = 0;
  for (const PlannedTask& task : tasks_) end_ns = std::max(end_ns, task.end_ns);
  for (const WorkerRow& worker : workers_) {
    if (worker.runtime != Runtime::kStarpu) continue;
    std::vector<size_t>& tasks = by_worker[worker.id - 1];
    std::ranges::sort(tasks, {}, [&](size_t i) { return tasks_[i].begin_ns; });
    StretchRow now{worker.begin_ns, 0, 0, 0, worker.id, WorkerState::kIdle, {}, false};
    const auto change = [&](int64_t at_ns, WorkerState state, TaskId task) {
      if (state == now.state && task == now.task) return;
      now.end_ns = at_ns;
      now.next = state;
      now.next_task = task;
      stretches_.push_back(now);
      now = {at_ns, 0, task, 0, worker.id, state, {}, false};
    };
    for (const size_t i : tasks) {
      const PlannedTask& task = tasks_[i];
      change(std::max(task.taken_ns, now.begin_ns), WorkerState::kSchedule, i + 1);
      if (task.fetch_ns != PlannedTask::kDefault) {
        change(std::max(task.fetch_ns, now.begin_ns), WorkerState::kFetch, i + 1);
      }
      change(task.begin_ns, WorkerState::kWork, i + 1);
      change(task.end_ns, WorkerState::kIdle, 0);
    }
    now.end_ns = std::max(end_ns, now.begin_ns);
    now.is_last = true;
    stretches_.push_back(now);
  }
}

std::vector<Schedule::Event> Schedule::events() const {
  using Kind = Event::Kind;
  std::vector<Event> events;
  std::vector<int64_t> retired_ns(tasks_.size()), group_retired_ns(groups_.size());
  std::vector<int64_t> group_made_ns(groups_.size(), INT64_MAX);
  for (size_t i = 0; i < tasks_.size(); ++i) {
    const PlannedTask& task = tasks_[i];
    retired_ns[i] = std::max(retired_ns[i], std::max(task.end_ns, task.submit_ns));
    const auto wait_for = [&](TaskId id) {
      retired_ns[id - 1] = std::max(retired_ns[id - 1], task.submit_ns);
    };
    for (const TaskId id : task.after) wait_for(id);
    for (const size_t group : task.after_groups) {
      for (const TaskId id : groups_[group]) wait_for(id);
      group_retired_ns[group] = std::max(group_retired_ns[group], task.submit_ns);
      group_made_ns[group] = std::min(group_made_ns[group], task.submit_ns);
    }
    events.push_back({task.submit_ns, Kind::kSubmitted, i});
    events.push_back({task.end_ns, Kind::kFinished, i});
    const bool has_work = (task.flags & kTaskWithoutWork) == 0;
    if (!has_work || task.worker == 0) continue;
    events.push_back({task.end_ns, Kind::kEnd, i});
    if (!task.has_begin) continue;
    events.push_back({task.ready_ns, Kind::kReady, i});
    events.push_back({task.begin_ns, Kind::kBegin, i});
    if (task.runtime != Runtime::kStarpu) continue;
    events.push_back({task.taken_ns, Kind::kTaken, i});
    if (task.fetch_ns != PlannedTask::kDefault) events.push_back({task.fetch_ns, Kind::kFetch, i});
  }
  for (size_t i = 0; i < groups_.size(); ++i) {
    int64_t end_ns = 0;
    for (const TaskId id : groups_[i]) end_ns = std::max(end_ns, tasks_[id - 1].end_ns);
    // It is there from its first dependent on.
    events.push_back({std::max(end_ns, group_made_ns[i]), Kind::kGroupFinished, i});
    events.push_back(
        {std::max({end_ns, group_made_ns[i], group_retired_ns[i]}), Kind::kGroupRetired, i});
  }
  for (size_t i = 0; i < tasks_.size(); ++i) events.push_back({retired_ns[i], Kind::kRetired, i});
  for (size_t i = 0; i < waits_.size(); ++i) {
    events.push_back({waits_[i].begin_ns, Kind::kWait, i, true});
    events.push_back({waits_[i].end_ns, Kind::kWait, i, false});
  }
  for (size_t i = 0; i < regions_.size(); ++i) {
    events.push_back({regions_[i].begin_ns, Kind::kRegion, i, true});
    events.push_back({regions_[i].end_ns, Kind::kRegion, i, false});
  }
  for (size_t i = 0; i < stretches_.size(); ++i) {
    events.push_back({stretches_[i].end_ns, Kind::kStretch, i});
  }
  std::stable_sort(events.begin(), events.end());
  return events;
}

void Schedule::feed(ModelSink& sink, size_t events_per_batch) {
  fill_in();
  plan_stretches();
  RowsBuilder rows(names_);
  rows.add_sink(&sink);
  for (const WorkerRow& worker : workers_) rows.add(worker);
  std::vector<bool> is_group_made(groups_.size());
  std::vector<NodeId> released_by(tasks_.size());
  std::vector<NodeId> latest(groups_.size());
  const auto group_id = [](size_t group) { return kGroupBit | (group + 1); };
  const auto later = [&](NodeId& of, int64_t& latest_ns, TaskId id) {
    if (tasks_[id - 1].end_ns < latest_ns) return;
    latest_ns = tasks_[id - 1].end_ns;
    of = id;
  };
  const auto step = [&](const Event& event, StepKind kind, NodeId node, NodeId after = 0) {
    const PlannedTask* const task = is_group(node) ? nullptr : &tasks_[node - 1];
    const bool is_on_worker = task != nullptr && task->worker != 0;
    const WorkerId worker = is_on_worker ? task->worker : 0;
    const bool is_by_submitter = kind == StepKind::kSubmitted && task != nullptr;
    const ThreadId thread = is_by_submitter ? task->submitted_by
                            : is_on_worker  ? thread_of_worker(worker)
                                            : 0;
    rows.add(StepRow{event.ns, node, after, thread, worker, 1, kind});
  };
  const auto submit = [&](const Event& event) {
    const PlannedTask& task = tasks_[event.index];
    const TaskId id = event.index + 1;
    TaskRow row;
    row.id = id;
    row.parent = task.parent;
    row.name = row.kind = names_.of(task.name);
    row.submitted_by = task.submitted_by;
    row.flags = task.flags;
    row.worker_kinds = task.worker_kinds;
    row.runtime = task.runtime;
    rows.add(row);
    step(event, StepKind::kSubmitted, id);
    int64_t latest_ns = INT64_MIN;
    for (const TaskId from : task.after) {
      rows.add(EdgeRow{from, id, 0, EdgeCause::kData});
      later(released_by[event.index], latest_ns, from);
    }
    for (const size_t group : task.after_groups) {
      int64_t group_ns = INT64_MIN;
      for (const TaskId from : groups_[group]) {
        later(latest[group], group_ns, from);
        if (is_group_made[group]) continue;
        rows.add(EdgeRow{from, group_id(group), 0, EdgeCause::kMember});
      }
      is_group_made[group] = true;
      rows.add(EdgeRow{group_id(group), id, 0, EdgeCause::kData});
      if (group_ns >= latest_ns) released_by[event.index] = group_id(group);
      latest_ns = std::max(latest_ns, group_ns);
    }
  };
  size_t in_batch = 0;
  int64_t now_ns = 0;
  for (const Event& event : events()) {
    now_ns = event.ns;
    const TaskId id = event.index + 1;
    switch (event.kind) {
      case Event::Kind::kRegion: {
        RegionRow row = regions_[event.index];
        if (event.is_begin) row.end_ns = kNotYet;
        rows.add(row);
        break;
      }
      case Event::Kind::kWait: {
        WaitRow row = waits_[event.index];
        if (event.is_begin) row.end_ns = kNotYet;
        rows.add(row);
        break;
      }
      case Event::Kind::kStretch:
        rows.add(stretches_[event.index]);
        break;
      case Event::Kind::kSubmitted:
        submit(event);
        break;
      case Event::Kind::kReady:
        step(event, StepKind::kReady, id, released_by[event.index]);
        break;
      case Event::Kind::kTaken:
        step(event, StepKind::kTaken, id);
        break;
      case Event::Kind::kFetch:
        step(event, StepKind::kFetch, id);
        break;
      case Event::Kind::kBegin:
        step(event, StepKind::kBegin, id);
        break;
      case Event::Kind::kEnd:
        step(event, StepKind::kEnd, id);
        break;
      case Event::Kind::kFinished:
        step(event, StepKind::kFinished, id);
        break;
      case Event::Kind::kGroupFinished:
        step(event, StepKind::kFinished, group_id(event.index), latest[event.index]);
        break;
      case Event::Kind::kRetired:
        step(event, StepKind::kRetired, id);
        break;
      case Event::Kind::kGroupRetired:
        step(event, StepKind::kRetired, group_id(event.index));
        break;
    }
    if (++in_batch < events_per_batch) continue;
    rows.flush(now_ns);
    in_batch = 0;
  }
  rows.flush(now_ns);
  sink.finish(names_);
}

}  // namespace perseid::test
