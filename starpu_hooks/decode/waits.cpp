// starpu_hooks/decode/waits.cpp: waits as slices of their thread and as rows.
#include "starpu_hooks/decode/waits.h"

#include <algorithm>

#include "starpu_hooks/events.h"

namespace perseid::starpu::decoding {
namespace {

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

perseid::WaitKind row_kind(WaitKind kind) {
  switch (kind) {
    case WaitKind::kForTag:
    case WaitKind::kForTags:
      return perseid::WaitKind::kTag;
    case WaitKind::kForData:
    case WaitKind::kForUnregister:
    case WaitKind::kForUnpartition:
    case WaitKind::kForPrefetch:
      return perseid::WaitKind::kData;
    case WaitKind::kForMessage:
    case WaitKind::kForMpi:
      return perseid::WaitKind::kMessage;
    case WaitKind::kForMpiBarrier:
      return perseid::WaitKind::kBarrier;
    default:
      return perseid::WaitKind::kTasks;
  }
}

constexpr std::string_view kThrottled = "throttled";

}  // namespace

void Waits::begin(Thread& thread, int64_t at_ns, uint32_t kind, const Payload& words) {
  const auto what = static_cast<WaitKind>(kind);
  const bool is_throttled =
      what == WaitKind::kForSubmitted && parts_->calls.is_in_starpu(thread, at_ns);
  Call& call = parts_->calls.open(thread, at_ns, CallKind::kWait, kind,
                                  is_throttled ? kThrottled : name_of_wait(what), kWaitCategory);
  OpenSlice& slice = thread.lane[call.slice];
  describe(slice.arguments, kind, words);
  call.object = words[0];
  add_row(thread, call, slice, kNotYet);
  if (what != WaitKind::kForData) return;
  call.task = acquisitions_->begin_wait(thread, at_ns, words[0], static_cast<uint32_t>(words[1]));
  parts_->model.arrows.open(call.task, slice.begin_ns);
  // At once: should its end be lost, tasks may wait for it anyway.
  parts_->model.arrows.draw_outgoing(call.task, true, slice.flows);
}

void Waits::describe(ArgumentList& arguments, uint32_t kind, const Payload& words) {
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

void Waits::end(Thread& thread, int64_t at_ns, uint32_t kind, const Payload& words) {
  Call* const call = parts_->calls.find_ending(thread, at_ns, CallKind::kWait, kind);
  if (call == nullptr) return;
  OpenSlice& slice = thread.lane[call->slice];
  const auto result = static_cast<int32_t>(words[0]);
  if (result != 0) slice.arguments.append({"result", int64_t{result}});
  if (call->task != 0) {
    // The arrow arrives where the wait ends, and still inside it.
    const int64_t arrival_ns = std::max(slice.begin_ns, at_ns - 1);
    parts_->model.arrows.draw_incoming(call->task, arrival_ns, slice.flows);
    acquisitions_->end_wait(thread, at_ns, call->task);
  }
  add_row(thread, *call, slice, at_ns);
  parts_->calls.close(thread, at_ns);
}

void Waits::add_row(const Thread& thread, const Call& call, const OpenSlice& slice,
                    int64_t end_ns) {
  WaitRow row;
  row.begin_ns = slice.begin_ns;
  row.end_ns = end_ns;
  row.thread = thread.id;
  row.name = parts_->model.names.of_lasting(slice.name);
  row.kind = slice.name == kThrottled ? perseid::WaitKind::kThrottle
                                      : row_kind(static_cast<WaitKind>(call.key));
  row.object = row.kind == perseid::WaitKind::kData ? parts_->data.id(call.object) : call.object;
  parts_->model.rows.add(row);
}

}  // namespace perseid::starpu::decoding
