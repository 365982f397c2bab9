// starpu_hooks/decode/submissions.cpp: a submission is a slice of its thread, and begins a life.
#include "starpu_hooks/decode/submissions.h"

#include "starpu_hooks/events.h"

namespace perseid::starpu::decoding {
namespace {

constexpr size_t kFirstAccess = 6;  // word of kSubmit
constexpr std::string_view kSynchronousWait = "wait for a synchronous task";

}  // namespace

void Submissions::begin(Thread& thread, int64_t at_ns, uint32_t name, const Payload& words) {
  if (words[0] == 0) return;
  if (const LifeRef before = parts_->tasks.find(words[0])) {
    lives_->finish(before, at_ns, thread.id);
  }
  const LifeRef life = parts_->tasks.begin(words[0]);
  read(*life, name, words);
  ++parts_->totals.submissions;
  life->was_submitted = true;
  life->is_internal = parts_->calls.is_in_starpu(thread, at_ns);
  life->submitted_by = thread.lane.track();
  life->submit_ns = at_ns;
  lives_->begin(life, at_ns, thread.id);
  parts_->dependencies.begin(*life, at_ns);
  if (life->has_work) parts_->counters.submitted.add(at_ns, 1);

  Call& call = parts_->calls.open(thread, at_ns, CallKind::kSubmission, words[0],
                                  parts_->names.submission(life->name), kSubmissionCategory);
  if ((life->flags & kSynchronous) != 0) call.task = life->id;
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
  life.has_work = !is_codelet_known || (life.codelet != 0 && (life.flags & kRunsNowhere) == 0 &&
                                        !(codelet != nullptr && codelet->is_nowhere));
  life.name = parts_->names.task(name, life.codelet, is_codelet_known);
  read_accesses(life, words.from(kFirstAccess));
  iterations_->note_in(life);
}

void Submissions::read_accesses(TaskLife& life, std::span<const uint64_t> words) {
  for (size_t at = 0; at + 1 < words.size(); at += 2) {
    life.accesses.push_back({words[at], access_mode(words[at + 1]), access_bytes(words[at + 1])});
  }
}

void Submissions::add_accesses(const Payload& words) {
  const LifeRef life = parts_->tasks.find(words[0]);
  if (life != nullptr && !life->is_settled) read_accesses(*life, words.from(1));
}

void Submissions::pushed(Thread& thread, int64_t at_ns, uint64_t task) {
  Call* const around = parts_->calls.innermost(thread, at_ns);
  if (around == nullptr || around->kind != CallKind::kSubmission || around->key != task) return;
  if (around->task == 0 || around->wait_begin_ns != kNever) return;
  around->wait_begin_ns = at_ns;
  add_wait(thread, around->task, at_ns, kNotYet);
}

void Submissions::add_wait(const Thread& thread, TaskId task, int64_t begin_ns, int64_t end_ns) {
  WaitRow row;
  row.begin_ns = begin_ns;
  row.end_ns = end_ns;
  row.object = task;
  row.thread = thread.id;
  row.name = parts_->model.names.of_lasting(kSynchronousWait);
  row.kind = perseid::WaitKind::kTasks;
  parts_->model.rows.add(row);
}

void Submissions::end_wait(const Thread& thread, const Call& call, OpenSlice& slice,
                           int64_t at_ns) {
  int64_t begin_ns = call.wait_begin_ns;
  if (begin_ns == kNever) {
    // Others held the task back when it was submitted: where the wait began is not known.
    begin_ns = slice.begin_ns;
    add_wait(thread, call.task, begin_ns, kNotYet);
  }
  slice.arguments.append({"waited_ns", at_ns - begin_ns});
  add_wait(thread, call.task, begin_ns, at_ns);
}

void Submissions::end(Thread& thread, int64_t at_ns, uint32_t result, const Payload& words) {
  const LifeRef life = parts_->tasks.find(words[0]);
  Call* const call = parts_->calls.find_ending(thread, at_ns, CallKind::kSubmission, words[0]);
  const bool is_refused = result != 0;
  // By now the task may be over and its address in use again.
  const bool is_same = life != nullptr && life->submitted_by == thread.lane.track();
  if (call != nullptr) {
    OpenSlice& slice = thread.lane[call->slice];
    if (call->task != 0 && !is_refused) end_wait(thread, *call, slice, at_ns);
    if (is_refused) {
      slice.arguments.add({"refused", error_text(static_cast<int32_t>(result))});
      // Not if an arrow leads away from it anyway.
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
    life->is_settled = true;  // it never had a place in the order
    lives_->finish(life, at_ns, thread.id);
    parts_->tasks.end(words[0]);
  } else {
    lives_->settle(life, at_ns, thread.id);
  }
}

}  // namespace perseid::starpu::decoding
