// starpu_hooks/decode/submissions.cpp: see decode_submissions.h.
#include "starpu_hooks/decode/submissions.h"

#include <fmt/format.h>

#include <algorithm>

#include "starpu_hooks/events.h"

namespace perseid::starpu::decoding {
namespace {

constexpr size_t kFirstAccess = 6;  // word of kSubmit
constexpr int kMaxSettled = 64;     // tasks without work in a row
constexpr size_t kMaxIterations = 64;
constexpr uint32_t kFirstIterationRow = 3;  // below phases, recording and StarPU

std::string_view name_of_wait(WaitKind kind) {
  switch (kind) {
    case WaitKind::kForTask:
      return "wait for a task";
    case WaitKind::kForTasks:
      return "wait for tasks";
    case WaitKind::kForAll:
      return "wait for all tasks";
    case WaitKind::kForAllInContext:
      return "wait for all tasks of a context";
    case WaitKind::kForSubmitted:
    case WaitKind::kForSubmittedInContext:
      return "wait until few tasks are left";
    case WaitKind::kForNoneReady:
      return "wait until no task is ready";
    case WaitKind::kForTag:
      return "wait for a tag";
    case WaitKind::kForTags:
      return "wait for tags";
    case WaitKind::kForData:
      return "acquire data";
    case WaitKind::kForUnregister:
      return "unregister data";
    case WaitKind::kForUnpartition:
      return "unpartition data";
    case WaitKind::kForExecuteOnAll:
      return "execute on all workers";
    case WaitKind::kForPrefetch:
      return "fetch data";
    case WaitKind::kForMessage:
      return "wait for a message";
    case WaitKind::kForMpi:
      return "wait for all messages and tasks";
    case WaitKind::kForMpiBarrier:
      return "barrier of all ranks";
  }
  return "wait";
}

}  // namespace

void Submissions::begin(Thread& thread, int64_t at_ns, uint32_t name, const Payload& words) {
  if (words[0] == 0) return;
  if (const LifeRef before = parts_->tasks.find(words[0])) count_finished(at_ns, *before);
  const LifeRef life = parts_->tasks.begin(words[0]);
  read(*life, name, words);
  ++parts_->totals.submissions;
  life->was_submitted = true;
  life->is_internal = parts_->calls.is_in_starpu(thread, at_ns);
  life->submitted_by = thread.lane.track();
  life->submit_ns = at_ns;
  parts_->dependencies.begin(*life);
  if (life->has_work) parts_->counters.submitted.add(at_ns, 1);

  const Call& call = parts_->calls.open(thread, at_ns, CallKind::kSubmission, words[0],
                                        parts_->names.submission(life->name), kSubmissionCategory);
  OpenSlice& slice = thread.lane[call.slice];
  slice.arguments.append({"task", life->id});
  if (life->is_internal) slice.arguments.append({"by", std::string_view("StarPU")});
  life->submission = parts_->model.flows.start(at_ns, slice.begin_ns, FlowKind::kSubmission);
  slice.flows.push_back(life->submission);
}

void Submissions::read(TaskLife& life, uint32_t name, const Payload& words) {
  life.codelet = words[1];
  life.priority = static_cast<int32_t>(low_half(words[2]));
  life.context = high_half(words[2]);
  life.flags = low_half(words[3]);
  life.tag = words[4];
  life.flops = words.real(5);
  const bool is_codelet_known = (life.flags & kFieldsUnknown) == 0;
  const CodeletFacts* const codelet = parts_->names.codelet(life.codelet);
  life.has_work =
      !is_codelet_known || (life.codelet != 0 && !(codelet != nullptr && codelet->is_nowhere));
  life.name = parts_->names.task(name, life.codelet, is_codelet_known);
  read_accesses(life, words.from(kFirstAccess));

  const auto iterations = iterations_.find(life.context);
  if (iterations == iterations_.end()) return;
  for (const auto& open : iterations->second.open) {
    if (life.iteration_depth == life.iterations.size()) break;
    life.iterations[life.iteration_depth++] = open.number;
  }
}

void Submissions::read_accesses(TaskLife& life, std::span<const uint64_t> words) {
  for (size_t at = 0; at + 1 < words.size(); at += 2) {
    life.accesses.push_back({words[at], access_mode(words[at + 1]), access_bytes(words[at + 1])});
  }
}

void Submissions::add_accesses(const Payload& words) {
  const LifeRef life = parts_->tasks.find(words[0]);
  if (life != nullptr && !life->is_ordered) read_accesses(*life, words.from(1));
}

void Submissions::end(Thread& thread, int64_t at_ns, uint32_t result, const Payload& words) {
  const LifeRef life = parts_->tasks.find(words[0]);
  Call* const call = parts_->calls.find_ending(thread, at_ns, CallKind::kSubmission, words[0]);
  const bool is_refused = result != 0;
  // By now the task may be over and its address in use again.
  const bool is_same = life != nullptr && life->submitted_by == thread.lane.track();
  if (call != nullptr) {
    OpenSlice& slice = thread.lane[call->slice];
    if (is_refused) {
      slice.arguments.add({"refused", error_text(static_cast<int32_t>(result))});
      // Not if an arrow leads away from it all the same.
      const bool is_unused = is_same && life->executions == 0 && !life->is_finished;
      if (is_unused && !slice.flows.empty() && slice.flows.front().id == life->submission.id)
        slice.flows.clear();
    }
    parts_->calls.close(thread, at_ns);
  }
  if (!is_same) return;
  if (is_refused) {
    ++parts_->totals.refused;
    life->submission = {};
    count_finished(at_ns, *life);
    parts_->tasks.end(words[0]);
  } else {
    parts_->dependencies.order(*life);
  }
}

void Submissions::begin_wait(Thread& thread, int64_t at_ns, uint32_t kind, const Payload& words) {
  const auto what = static_cast<WaitKind>(kind);
  const bool is_throttled =
      what == WaitKind::kForSubmitted && parts_->calls.is_in_starpu(thread, at_ns);
  Call& call = parts_->calls.open(thread, at_ns, CallKind::kWait, kind,
                                  is_throttled ? "throttled" : name_of_wait(what), kWaitCategory);
  OpenSlice& slice = thread.lane[call.slice];
  describe_wait(slice.arguments, kind, words);
  if (what != WaitKind::kForData) return;
  parts_->dependencies.order_acquisition(call, words[0], static_cast<uint32_t>(words[1]));
  if (call.node == nullptr) return;
  parts_->dependencies.open(*call.node, slice.begin_ns);
  // At once: should its end be lost, tasks may wait for it all the same.
  parts_->dependencies.draw_outgoing(call.node, slice.flows);
}

void Submissions::describe_wait(ArgumentList& arguments, uint32_t kind, const Payload& words) {
  switch (static_cast<WaitKind>(kind)) {
    case WaitKind::kForTask:
      if (const LifeRef life = parts_->tasks.find(words[0])) {
        arguments.append({"task", life->id});
        arguments.append({"name", life->name});
      }
      return;
    case WaitKind::kForTasks:
    case WaitKind::kForSubmitted:
      arguments.append({"tasks", words[0]});
      return;
    case WaitKind::kForAllInContext:
    case WaitKind::kForSubmittedInContext:
      arguments.append({"context", words[0]});
      return;
    case WaitKind::kForTag:
      arguments.append({"tag", words[0]});
      return;
    case WaitKind::kForTags:
      arguments.append({"tags", words[0]});
      return;
    case WaitKind::kForData:
      arguments.append({"mode", mode_name(static_cast<uint32_t>(words[1]))});
      [[fallthrough]];
    case WaitKind::kForUnregister:
    case WaitKind::kForUnpartition:
    case WaitKind::kForPrefetch:
      arguments.append({"data", std::string_view(parts_->data.name(words[0]))});
      return;
    default:
      return;
  }
}

void Submissions::end_wait(Thread& thread, int64_t at_ns, uint32_t kind, const Payload& words) {
  Call* const call = parts_->calls.find_ending(thread, at_ns, CallKind::kWait, kind);
  if (call == nullptr) return;
  OpenSlice& slice = thread.lane[call->slice];
  const auto result = static_cast<int32_t>(words[0]);
  if (result != 0) slice.arguments.append({"result", int64_t{result}});
  if (call->node != nullptr) {
    // The arrow arrives where the wait ends, and still inside it.
    const int64_t arrival_ns = std::max(slice.begin_ns, at_ns - 1);
    parts_->dependencies.draw_incoming(call->waits_for, call->node.get(), arrival_ns, slice.flows);
  }
  parts_->calls.close(thread, at_ns);
}

void Submissions::push_iteration(int64_t at_ns, uint32_t context, uint64_t iteration) {
  auto found = iterations_.find(context);
  if (found == iterations_.end()) {
    Track track;
    track.kind = TrackKind::kLane;
    track.group = TrackGroup::kPhases;
    track.order = kFirstIterationRow + context;
    track.name = context == 0 ? "Iterations" : fmt::format("Iterations · context {}", context);
    const TrackId added = parts_->model.tracks.add(std::move(track));
    found = iterations_
                .try_emplace(context, Iterations{{parts_->model.tracks, parts_->model.sink, added}})
                .first;
  }
  Iterations& iterations = found->second;
  if (iterations.open.size() >= kMaxIterations) pop_iteration(at_ns, context);
  auto& open = iterations.open.emplace_back();
  open.number = iteration;
  open.name = fmt::format("iteration {}", iteration);
  open.slice = iterations.lane.open(at_ns, open.name, kStarpuCategory);
}

void Submissions::pop_iteration(int64_t at_ns, uint32_t context) {
  const auto found = iterations_.find(context);
  if (found == iterations_.end() || found->second.open.empty()) {
    ++parts_->model.orphan_ends;
    return;
  }
  found->second.lane.close(found->second.open.back().slice, at_ns);
  found->second.open.pop_back();
}

void Submissions::settle(Thread& thread, int64_t at_ns, const TaskLife& life, int depth) {
  if (depth > kMaxSettled) return;
  for (size_t i = 0; i < life.waits_for.size(); ++i) {  // it may grow meanwhile
    const NodeRef node = life.waits_for[i];
    if (node->state != DependencyNode::State::kComing) continue;
    const LifeRef before = parts_->tasks.find(node->task);
    if (before != nullptr && before->node == node && !before->has_work) {
      complete(thread, at_ns, *before, depth + 1);
    }
  }
}

void Submissions::complete(Thread& thread, int64_t at_ns, TaskLife& life, int depth) {
  if (life.is_finished) return;
  count_finished(at_ns, life);
  parts_->dependencies.order(life);
  settle(thread, at_ns, life, depth);
  // StarPU makes such tasks for itself too. They matter only where arrows meet.
  const bool is_joint = !life.waits_for.empty() || life.node.use_count() > 1;
  if (life.is_internal && !is_joint) return;
  std::vector<FlowEnd> flows;
  if (life.submission.id != 0) {
    flows.push_back(arrival_of(life.submission, at_ns));
  }
  if (life.node != nullptr) {
    parts_->dependencies.open(*life.node, at_ns);
    parts_->dependencies.draw_incoming(life.waits_for, life.node.get(), at_ns, flows);
    parts_->dependencies.draw_outgoing(life.node, flows);
  }
  const Argument arguments[] = {{"task", life.id}, {"codelet", std::string_view("none")}};
  thread.lane.add_instant(at_ns, life.name, kStarpuCategory, arguments, flows);
}

void Submissions::count_finished(int64_t at_ns, TaskLife& life) {
  if (life.is_finished) return;
  life.is_finished = true;
  if (life.is_ready) parts_->counters.ready.add(at_ns, -1);
  life.is_ready = false;
  if (life.has_work && life.was_submitted) parts_->counters.submitted.add(at_ns, -1);
}

void Submissions::finish(int64_t end_ns) {
  for (auto& [context, iterations] : iterations_) {
    Lane& lane = iterations.lane;
    lane.close_all(end_ns, [&lane](Lane::Handle slice) {
      lane[slice].arguments.add({"unfinished", true});
    });
  }
}

}  // namespace perseid::starpu::decoding
