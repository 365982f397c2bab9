// starpu_hooks/decode/lives.cpp: between the decoder's parts and Tasks.
#include "starpu_hooks/decode/lives.h"

#include <algorithm>
#include <utility>

#include "starpu_hooks/events.h"

namespace perseid::starpu::decoding {
namespace {

perseid::AccessMode mode_of(uint32_t mode) {
  if ((mode & kScratch) != 0) return perseid::AccessMode::kScratch;
  if ((mode & kReduction) != 0) return perseid::AccessMode::kReduction;
  if ((mode & kCommute) != 0) return perseid::AccessMode::kCommute;
  if ((mode & kWrite) == 0) return perseid::AccessMode::kRead;
  return (mode & kRead) != 0 ? perseid::AccessMode::kReadWrite : perseid::AccessMode::kWrite;
}

uint32_t worker_kinds(uint32_t where) {
  constexpr std::pair<Where, WorkerKind> kKinds[] = {{kOnCpu, WorkerKind::kCpu},
                                                     {kOnCuda, WorkerKind::kCuda},
                                                     {kOnOpencl, WorkerKind::kOpencl},
                                                     {kOnOther, WorkerKind::kOther}};
  uint32_t kinds = 0;
  for (const auto& [bit, kind] : kKinds) {
    if ((where & bit) != 0) kinds |= 1u << static_cast<uint32_t>(kind);
  }
  return kinds;
}

}  // namespace

void Lives::begin(const LifeRef& life, int64_t at_ns, ThreadId thread) {
  Model& model = parts_->model;
  TaskRow row;
  row.runtime = Runtime::kStarpu;
  row.name = model.names.of_lasting(life->name);
  const CodeletFacts* const codelet = parts_->names.codelet(life->codelet);
  row.kind = codelet != nullptr && codelet->name != 0
                 ? model.names.of_lasting(model.strings.text(codelet->name))
                 : row.name;
  if (codelet != nullptr) {
    row.worker_kinds = worker_kinds(codelet->where != 0 ? codelet->where : codelet->functions);
  }
  row.submitted_by = thread;
  row.priority = life->priority;
  row.context = life->context;
  row.tag = life->tag;
  row.flops = life->flops;
  row.has_iteration = life->iteration_depth > 0;
  row.iteration = life->iterations[0];
  row.flags = (life->is_internal ? kTaskInternal : 0u) | (life->has_work ? 0u : kTaskWithoutWork) |
              (life->was_submitted ? 0u : kTaskUnsubmitted) |
              ((life->flags & kOnSpecificWorker) != 0 ? kTaskOnGivenWorker : 0u) |
              ((life->flags & kSynchronous) != 0 ? kTaskIsSynchronous : 0u) |
              ((life->flags & kHasTag) != 0 ? kTaskHasTag : 0u);
  life->submitter = thread;
  life->ref = model.tasks.submit(row, at_ns);
  life->id = model.tasks.id(life->ref);
  by_id_[life->id] = life;
}

/// The policy's hooks report most tasks; of others it is known when nothing holds them back.
bool Lives::reports_ready(const TaskLife& life) const {
  if ((life.flags & kOnSpecificWorker) != 0 || !parts_->has_scheduling) return false;
  return !parts_->names.policy(life.context).empty();
}

void Lives::settle(const LifeRef& life, int64_t at_ns, ThreadId thread) {
  if (life->is_settled) return;
  life->is_settled = true;
  for (const Access& access : life->accesses) {
    parts_->model.rows.add(AccessRow{life->id, access.bytes, parts_->data.id(access.handle),
                                     mode_of(access.mode), (access.mode & kNotOrdered) == 0});
  }
  parts_->dependencies.order(*life, at_ns);
  parts_->model.tasks.settle(life->ref, at_ns, thread, reports_ready(*life));
}

void Lives::set_ready(TaskLife& life, int64_t at_ns, bool is_ready) {
  if (life.is_counted_ready == is_ready) return;
  life.is_counted_ready = is_ready;
  parts_->counters.ready.add(at_ns, is_ready ? 1 : -1);
}

void Lives::finish(const LifeRef& life, int64_t at_ns, ThreadId thread) {
  settle(life, at_ns, thread);
  if (life->is_finished) return;
  life->is_finished = true;
  set_ready(*life, at_ns, false);
  if (life->has_work && life->was_submitted) parts_->counters.submitted.add(at_ns, -1);
  parts_->model.tasks.finish(life->ref, at_ns, thread);
}

void Lives::catch_up(const ModelBatch& batch) {
  for (; read_ < batch.steps.size(); ++read_) {
    const StepRow step = batch.steps[read_];
    if (step.kind != StepKind::kReady && step.kind != StepKind::kFinished) continue;
    if (is_group(step.task)) continue;
    const LifeRef* const found = by_id_.find(step.task);
    if (found == nullptr) continue;
    const LifeRef life = *found;
    if (step.kind == StepKind::kReady) {
      if (parts_->model.tasks.is_ready(life->ref)) set_ready(*life, step.ns, true);
      continue;
    }
    if (!life->has_work) {
      life->is_finished = true;
      draw_without_work(*life, step);
    }
    by_id_.erase(step.task);
  }
}

/// An instant. In a chain of such tasks all end at once: each is shown a nanosecond after the one
/// it waits for, because readers take no arrow between equal times.
void Lives::draw_without_work(const TaskLife& life, const StepRow& step) {
  Model& model = parts_->model;
  const bool is_joint = model.tasks.predecessors(life.ref) > 0 || model.arrows.is_source(life.id);
  // StarPU makes such tasks for itself too. They matter only where arrows join.
  if (life.is_internal && !is_joint) return;
  const int64_t at_ns = std::max(step.ns, model.arrows.latest_source_ns(life.id) + 1);
  flows_.clear();
  if (life.submission.id != 0) flows_.push_back(arrival_of(life.submission, at_ns));
  model.arrows.open(life.id, at_ns);
  model.arrows.draw_incoming(life.id, at_ns, flows_);
  model.arrows.draw_outgoing(life.id, model.tasks.may_be_waited_for(life.ref), flows_);
  const Argument arguments[] = {{"task", life.id}, {"codelet", std::string_view("none")}};
  const ThreadId thread = step.thread != 0 ? step.thread : std::max(life.submitter, 1u);
  Lane& lane = model.threads[thread - 1].lane;
  lane.add_instant(at_ns, life.name, kStarpuCategory, arguments, flows_);
}

}  // namespace perseid::starpu::decoding
