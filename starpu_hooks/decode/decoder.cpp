// starpu_hooks/decode/decoder.cpp: hands each record of StarPU to the part that shows it.
#include "starpu_hooks/decode/decoder.h"

#include <fmt/format.h>

#include <optional>
#include <string>

#include "starpu_hooks/decode/acquisitions.h"
#include "starpu_hooks/decode/context.h"
#include "starpu_hooks/decode/executions.h"
#include "starpu_hooks/decode/iterations.h"
#include "starpu_hooks/decode/lives.h"
#include "starpu_hooks/decode/mpi_messages.h"
#include "starpu_hooks/decode/payload.h"
#include "starpu_hooks/decode/runtime.h"
#include "starpu_hooks/decode/scheduling.h"
#include "starpu_hooks/decode/submissions.h"
#include "starpu_hooks/decode/transfers.h"
#include "starpu_hooks/decode/waits.h"
#include "starpu_hooks/events.h"

namespace perseid::starpu {
namespace {

using namespace decoding;

/// Made when the first record comes: most captures have nothing of StarPU.
class Timeline {
 public:
  explicit Timeline(Model& model)
      : parts_(model),
        lives_(parts_),
        acquisitions_(parts_),
        iterations_(parts_),
        submissions_(parts_, lives_, iterations_),
        waits_(parts_, acquisitions_),
        scheduling_(parts_, lives_),
        executions_(parts_, lives_, scheduling_),
        transfers_(parts_),
        runtime_(parts_, acquisitions_),
        messages_(parts_) {}

  void record(Thread& thread, int64_t at_ns, const RecordHeader& header, const Payload& words) {
    const auto event = static_cast<Event>(header.kind & 0xff);
    parts_.names.move_to(header.ticks);
    parts_.now_ns = at_ns;
    parts_.now_ticks = header.ticks;
    if (event < kSubmit) return record_runtime(thread, at_ns, event, header.arg, words);
    if (event >= kMpiPost) return record_message(thread, at_ns, event, header.arg, words);
    if (event < kTaskDeps) return record_task(thread, at_ns, event, header.arg, words);
    return record_data(thread, at_ns, event, header.arg, words);
  }

  void finish(int64_t end_ns) {
    parts_.now_ns = end_ns;
    end_run(end_ns);
    iterations_.finish(end_ns);
    messages_.finish(end_ns);
    parts_.calls.finish(end_ns);
    runtime_.finish(end_ns);
  }

 private:
  void record_runtime(Thread& thread, int64_t at_ns, Event event, uint32_t arg,
                      const Payload& words);
  void record_task(Thread& thread, int64_t at_ns, Event event, uint32_t arg, const Payload& words);
  void record_data(Thread& thread, int64_t at_ns, Event event, uint32_t arg, const Payload& words);
  void record_message(Thread& thread, int64_t at_ns, Event event, uint32_t arg,
                      const Payload& words) {
    if (event == kMpiPost) messages_.post(thread, at_ns, arg, words);
    if (event == kMpiRequest) messages_.request(words);
    if (event == kMpiDone) messages_.done(thread, at_ns, arg, words);
  }

  /// Whatever has no end by now never gets one, and addresses begin to mean other things.
  void end_run(int64_t at_ns) {
    parts_.totals.unfinished += static_cast<uint64_t>(parts_.counters.submitted.value());
    executions_.close_all(at_ns);
    transfers_.close_all(at_ns);
    acquisitions_.clear(at_ns);
    parts_.tasks.for_each([&](const LifeRef& life) {
      if (!life->is_finished) parts_.model.tasks.finish(life->ref, at_ns, 0);
    });
    parts_.model.rows.follow();
    lives_.clear();
    parts_.tasks.clear();
    parts_.data.clear();
    parts_.dependencies.clear(at_ns);
    parts_.workers.end_run(at_ns);
    for (Counter* counter : {&parts_.counters.submitted, &parts_.counters.ready,
                             &parts_.counters.running, &parts_.counters.idle_workers}) {
      counter->set(at_ns, 0);
    }
    parts_.counters.reset_allocated(at_ns);
  }

  Parts parts_;
  Lives lives_;
  Acquisitions acquisitions_;
  Iterations iterations_;
  Submissions submissions_;
  Waits waits_;
  Scheduling scheduling_;
  Executions executions_;
  Transfers transfers_;
  Runtime runtime_;
  MpiMessages messages_;
};

void Timeline::record_runtime(Thread& thread, int64_t at_ns, Event event, uint32_t arg,
                              const Payload& words) {
  switch (event) {
    case kRuntime:
      return runtime_.set_library(arg, words);
    case kInitBegin:
      return runtime_.begin_call(thread, at_ns, CallKind::kInit);
    case kInitEnd:
      return runtime_.end_init(thread, at_ns, arg, words);
    case kShutdownBegin:
      return runtime_.begin_call(thread, at_ns, CallKind::kShutdown);
    case kShutdownEnd:
      runtime_.end_shutdown(thread, at_ns);
      return end_run(at_ns);
    case kPauseWorkers:
      return runtime_.pause(at_ns);
    case kResumeWorkers:
      return runtime_.resume(at_ns);
    case kWorker:
      // Recording may begin when StarPU is running already: then no record has how many there are.
      if (parts_.workers.runs() == 0) parts_.counters.idle_workers.add(at_ns, 1);
      return parts_.workers.set_worker(at_ns, arg, words);
    case kWorkerThread:
      return parts_.workers.bind(thread, arg);
    case kCombinedWorker:
      return parts_.workers.set_combined(arg, words);
    case kMemoryNode:
      return parts_.names.set_memory_node(arg, words);
    case kContext:
      return parts_.names.set_context(arg, words);
    case kCodelet:
      return parts_.names.set_codelet(arg, words);
    case kFunction:
      return parts_.names.set_function(arg, words);
    case kCodeletFunction:
      return parts_.names.set_codelet_function(arg, words);
    default:
      return;
  }
}

void Timeline::record_task(Thread& thread, int64_t at_ns, Event event, uint32_t arg,
                           const Payload& words) {
  switch (event) {
    case kSubmit:
      executions_.close_stale(words[0], at_ns);
      return submissions_.begin(thread, at_ns, arg, words);
    case kMoreAccesses:
      return submissions_.add_accesses(words);
    case kSubmitEnd:
      return submissions_.end(thread, at_ns, arg, words);
    case kWaitBegin:
      return waits_.begin(thread, at_ns, arg, words);
    case kWaitEnd:
      return waits_.end(thread, at_ns, arg, words);
    case kAcquire:
      return acquisitions_.request(thread, at_ns, words[0], static_cast<uint32_t>(words[1]));
    case kRelease:
      return runtime_.release_data(thread, at_ns, words[0], arg);
    case kPush:
      return scheduling_.push(thread, at_ns, words);
    case kReady:
      return scheduling_.set_ready(thread, at_ns, words);
    case kPushEnd:
      scheduling_.push_end(thread, at_ns, words);
      return submissions_.pushed(thread, at_ns, words[0]);
    case kPop:
      return scheduling_.pop(thread, at_ns, arg, words);
    case kIdle:
      return scheduling_.go_idle(thread, at_ns, arg, words);
    case kPreExec:
      return scheduling_.fetched(thread, at_ns, arg, words);
    case kExecBegin:
      return executions_.begin(thread, at_ns, arg, words);
    case kExecEnd:
      return executions_.end(thread, at_ns, arg, words);
    case kPostExec:
      return executions_.pushed_output(thread, at_ns, arg, words);
    case kCallbackBegin:
      return executions_.begin_callback(thread, at_ns, words);
    case kCallbackEnd:
      return executions_.end_callback(thread, at_ns, words);
    case kTaskClean:
      return executions_.forget_task(thread, at_ns, words[0]);
    default:
      return;
  }
}

void Timeline::record_data(Thread& thread, int64_t at_ns, Event event, uint32_t arg,
                           const Payload& words) {
  switch (event) {
    case kTaskDeps:
      return parts_.dependencies.declare_for_task(arg, words, at_ns);
    case kTagDeps:
      return parts_.dependencies.declare_for_tag(words);
    case kTagChange:
      return parts_.dependencies.change_tag(thread, at_ns, arg, words[0]);
    case kTransaction:
      return runtime_.note_transaction(words[1]);
    case kEndDependency:
      return runtime_.show_end_dependency(thread, at_ns, arg, words[0]);
    case kDataRegister:
      return parts_.data.add(words);
    case kDataUnregister:
      return parts_.data.retire(words[0]);
    case kDataName:
      return parts_.data.set_name(arg, words);
    case kDataCoordinates:
      return parts_.data.set_coordinates(arg, words);
    case kDataPartition:
      return parts_.data.set_partition(arg, words);
    case kDataAddress:
      return parts_.data.add_address(arg, words);
    case kDataRequest:
      return runtime_.show_request(thread, at_ns, arg, words);
    case kCopyBegin:
      scheduling_.begin_copy(thread, at_ns);
      return transfers_.begin(thread, at_ns, arg, words);
    case kCopyStarted:
      return transfers_.start_part(thread, words);
    case kCopyEnd:
      return transfers_.end(thread, at_ns, arg, words);
    case kCopyDone:
      return transfers_.end_part(at_ns, arg, words);
    case kAllocate:
      return transfers_.allocate(at_ns, arg, words);
    case kFree:
      return transfers_.free(at_ns, arg, words);
    case kUserEvent:
      return runtime_.show_user_event(thread, at_ns, words[0]);
    case kUserText:
      return runtime_.show_user_text(thread, at_ns, arg);
    case kIterationPush:
      return iterations_.push(at_ns, arg, words[0]);
    case kIterationPop:
      return iterations_.pop(at_ns, arg);
    case kFxtStart:
      return runtime_.add_instant(thread, at_ns, "starpu_fxt_start_profiling");
    case kFxtStop:
      return runtime_.add_instant(thread, at_ns, "starpu_fxt_stop_profiling");
    default:
      return;
  }
}

class StarpuDecoder final : public Decoder {
 public:
  explicit StarpuDecoder(Model& model) : model_(&model) {}

  void record(Thread& thread, int64_t at_ns, const RecordHeader& header,
              std::span<const uint64_t> words) override {
    if (!timeline_) [[unlikely]]
      timeline_.emplace(*model_);
    timeline_->record(thread, at_ns, header, Payload(words));
  }
  void finish(int64_t end_ns) override {
    if (timeline_) timeline_->finish(end_ns);
  }

 private:
  Model* model_;
  std::optional<Timeline> timeline_;
};

}  // namespace

std::unique_ptr<Decoder> make_decoder(Model& model) {
  return std::make_unique<StarpuDecoder>(model);
}

}  // namespace perseid::starpu
