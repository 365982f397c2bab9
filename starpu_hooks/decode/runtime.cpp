// starpu_hooks/decode/runtime.cpp: the row "StarPU", and instants that belong to no task.
#include "starpu_hooks/decode/runtime.h"

#include <fmt/format.h>

#include <cstdlib>
#include <cstring>

#include "starpu_hooks/events.h"

namespace perseid::starpu::decoding {
namespace {

constexpr uint32_t kRow = 2;            // below phases and recording
constexpr uint32_t kMaxNode = 1 << 16;  // above are StarPU's words for "all" and "none"

std::string what_is_missing(uint64_t abilities, Detail detail) {
  std::string missing;
  const auto need = [&](uint64_t ability, const char* what) {
    if ((abilities & ability) == 0) missing += (missing.empty() ? "" : ", ") + std::string(what);
  };
  need(kSeesTasks, "submissions");
  need(kSeesFields, "details of tasks");
  need(kSeesExecution, "executions");
  if (detail == Detail::kEverything) {
    need(kSeesScheduling, "scheduling");
    need(kSeesCallbacks, "callbacks");
  }
  return missing;
}

std::string_view name_of(DataRequest request) {
  switch (request) {
    case DataRequest::kPrefetch:
      return "prefetch data";
    case DataRequest::kIdlePrefetch:
      return "prefetch data when idle";
    case DataRequest::kWontUse:
      return "data not needed soon";
    case DataRequest::kInvalidate:
    case DataRequest::kInvalidateSubmit:
      return "invalidate data";
    case DataRequest::kUnregisterSubmit:
      return "unregister data when unused";
  }
  return "data request";
}

}  // namespace

void Runtime::set_library(uint32_t file, const Payload& words) {
  version_ =
      fmt::format("{}.{}.{}", words[0] & 0xffff, words[0] >> 16 & 0xffff, words[0] >> 32 & 0xffff);
  file_ = file != 0 ? parts_->model.strings.text(file) : std::string_view();
  const auto detail = static_cast<Detail>(words[2]);
  not_seen_ = what_is_missing(words[1], detail);
  parts_->has_scheduling = detail == Detail::kEverything && (words[1] & kSeesScheduling) != 0;
}

void Runtime::begin_call(Thread& thread, int64_t at_ns, CallKind kind) {
  if (kind == CallKind::kInit) parts_->workers.begin_run();
  if (kind == CallKind::kShutdown) close_run(at_ns);
  parts_->calls.open(thread, at_ns, kind, 0,
                     kind == CallKind::kInit ? "starpu_init" : "starpu_shutdown", kStarpuCategory);
}

void Runtime::end_init(Thread& thread, int64_t at_ns, uint32_t result, const Payload& words) {
  const auto error = static_cast<int32_t>(result);
  if (Call* const call = parts_->calls.find_ending(thread, at_ns, CallKind::kInit, 0)) {
    if (error != 0) {
      thread.lane[call->slice].arguments.add({"failed", error_text(error)});
    }
    parts_->calls.close(thread, at_ns);
  }
  if (error != 0) return;
  parts_->counters.idle_workers.set(at_ns, low_half(words[0]));
  close_run(at_ns);
  run_ = row().open(at_ns, "StarPU", kStarpuCategory);
  ArgumentList& arguments = row()[*run_].arguments;
  arguments.append({"workers", uint64_t{low_half(words[0])}});
  arguments.append({"memory_nodes", uint64_t{high_half(words[0])}});
}

void Runtime::end_shutdown(Thread& thread, int64_t at_ns) {
  if (parts_->calls.find_ending(thread, at_ns, CallKind::kShutdown, 0) != nullptr) {
    parts_->calls.close(thread, at_ns);
  }
  close_run(at_ns);
}

Lane& Runtime::row() {
  if (!row_) {
    Track track;
    track.kind = TrackKind::kLane;
    track.group = TrackGroup::kPhases;
    track.order = kRow;
    track.name = "StarPU";
    row_.emplace(parts_->model.tracks, parts_->model.sink,
                 parts_->model.tracks.add(std::move(track)));
  }
  return *row_;
}

void Runtime::close_run(int64_t at_ns) {
  resume(at_ns);
  if (!run_) return;
  ArgumentList& arguments = row()[*run_].arguments;
  arguments.append({"version", std::string_view(version_)});
  arguments.append({"library", file_});
  arguments.append({"policy", parts_->names.policy(0)});
  if (!not_seen_.empty()) arguments.append({"not_seen", std::string_view(not_seen_)});
  row().close(*run_, at_ns);
  run_.reset();
}

void Runtime::pause(int64_t at_ns) {
  if (!pause_) pause_ = row().open(at_ns, "workers paused", kStarpuCategory);
  for (const Worker& worker : parts_->workers.all()) {
    if (worker.executions.empty()) parts_->set_state(worker, WorkerState::kPaused, at_ns);
  }
}

void Runtime::resume(int64_t at_ns) {
  if (!pause_) return;
  row().close(*pause_, at_ns);
  pause_.reset();
  for (const Worker& worker : parts_->workers.all()) {
    if (worker.executions.empty()) parts_->set_state(worker, WorkerState::kIdle, at_ns);
  }
}

void Runtime::add_instant(Thread& thread, int64_t at_ns, std::string_view name) {
  thread.lane.add_instant(at_ns, name, kStarpuCategory, {});
}

void Runtime::add_data_instant(Thread& thread, int64_t at_ns, std::string_view name,
                               uint64_t handle, uint32_t node, std::span<const FlowEnd> flows) {
  const std::string data = parts_->data.name(handle);
  const bool is_node = node < kMaxNode;
  const Argument arguments[] = {
      {"data", std::string_view(data)},
      {"memory_node", is_node ? parts_->names.memory_node(node) : std::string_view()}};
  thread.lane.add_instant(at_ns, name, kStarpuCategory,
                          {arguments, is_node ? size_t{2} : size_t{1}}, flows);
}

/// Whoever waits for the data waits for this instant: arrows start here, not where the program got
/// hold of them.
void Runtime::release_data(Thread& thread, int64_t at_ns, uint64_t handle, uint32_t node) {
  std::vector<FlowEnd> flows;
  const TaskId released = acquisitions_->release(thread, at_ns, handle);
  parts_->model.arrows.open(released, at_ns);
  parts_->model.arrows.draw_outgoing(released, false, flows);
  add_data_instant(thread, at_ns, "release data", handle, node, flows);
}

void Runtime::show_request(Thread& thread, int64_t at_ns, uint32_t request, const Payload& words) {
  const auto kind = static_cast<DataRequest>(request);
  add_data_instant(thread, at_ns, name_of(kind), words[0], static_cast<uint32_t>(words[1]));
  // The access is a record of its own, which follows, and the last one.
  if (kind == DataRequest::kUnregisterSubmit) parts_->data.retire_after_access(words[0]);
}

void Runtime::note_transaction(uint64_t hidden_handle) {
  if (hidden_handle == 0) ++parts_->totals.unknown_transactions;
}

void Runtime::show_end_dependency(Thread& thread, int64_t at_ns, uint32_t added, uint64_t task) {
  const LifeRef life = parts_->tasks.find(task);
  const Argument arguments[] = {{"task", life != nullptr ? life->id : 0},
                                {"added", uint64_t{added}}};
  thread.lane.add_instant(at_ns, added > 0 ? "end dependency added" : "end dependency released",
                          kStarpuCategory, arguments);
}

void Runtime::show_user_event(Thread& thread, int64_t at_ns, uint64_t code) {
  const Argument argument{"code", code};
  thread.lane.add_instant(at_ns, "user event", "user", {&argument, 1});
}

void Runtime::show_user_text(Thread& thread, int64_t at_ns, uint32_t text) {
  thread.lane.add_instant(at_ns, parts_->model.strings.text(text), "user", {});
}

void Runtime::finish(int64_t end_ns) {
  close_run(end_ns);
  RunFacts& notes = parts_->model.notes;
  const Totals& totals = parts_->totals;
  const auto note = [&](const char* key, uint64_t value, bool always) {
    if (always || value > 0) {
      notes.emplace_back(key, std::to_string(value), FactScope::kSum);
    }
  };
  if (!version_.empty()) notes.emplace_back("starpu", version_, FactScope::kRun);
  if (const std::string_view policy = parts_->names.policy(0); !policy.empty()) {
    notes.emplace_back("starpu_policy", std::string(policy), FactScope::kRun);
  }
  if (!not_seen_.empty()) notes.emplace_back("starpu_not_seen", not_seen_, FactScope::kRun);
  note("starpu_submissions", totals.submissions, true);
  note("starpu_executions", totals.executions, true);
  note("starpu_refused_submissions", totals.refused, false);
  note("starpu_unfinished_tasks", totals.unfinished, false);
  note("starpu_executions_without_submission", totals.without_submission, false);
  note("starpu_transactions_without_dependencies", totals.unknown_transactions, false);
}

}  // namespace perseid::starpu::decoding
