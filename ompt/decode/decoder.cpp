// ompt/decode/decoder.cpp: gives each record to the part of the decoder that knows it.
#include "ompt/decode/decoder.h"

#include <string>

#include "ompt/decode/context.h"
#include "ompt/decode/task_decoder.h"
#include "ompt/decode/team_decoder.h"
#include "ompt/decode/wait_decoder.h"
#include "ompt/decode/work_decoder.h"
#include "ompt/events.h"

namespace perseid::ompt {
namespace {

class OmptDecoder final : public Decoder {
 public:
  explicit OmptDecoder(Model& model)
      : context_(model), team_(context_), task_(context_), wait_(context_), work_(context_) {}

  void record(Thread& thread, int64_t at_ns, const RecordHeader& header,
              std::span<const uint64_t> words) override {
    ThreadStack& stack = context_.stack(thread);
    if (stack.worker == 0) team_.show_worker(stack, at_ns);
    stack.wants_lock = false;
    const Moment now{at_ns, header.ticks};
    const uint32_t arg = header.arg;
    const uint64_t first = words.empty() ? 0 : words[0];
    switch (header.kind & 0xff) {
      case kThreadBegin:
        team_.thread_begin(stack, arg);
        break;
      case kRuntime:
        note_runtime(arg);
        break;
      case kThreadEnd:
        team_.thread_end(stack, now);
        break;
      case kParallelBegin:
        team_.parallel_begin(stack, now, arg, words);
        break;
      case kParallelEnd:
        team_.parallel_end(stack, now, words);
        break;
      case kImplicitBegin:
        team_.implicit_begin(stack, now, arg, words);
        break;
      case kImplicitEnd:
        team_.implicit_end(stack, now, arg);
        break;
      case kTaskCreate:
        task_.create(stack, now, arg, words);
        break;
      case kTaskSwitch:
        task_.switch_to(stack, now, first);
        break;
      case kTaskEnd:
        task_.end(stack, now, arg, words);
        break;
      case kOwnTaskCreate: {
        const uint64_t long_words[] = {own_task_id(stack.stream(), arg), first & kCodeAddress};
        task_.create(stack, now, flags_of(first), long_words);
        break;
      }
      case kOwnTaskSwitch:
        if (arg != 0) {
          task_.switch_to(stack, now, own_task_id(stack.stream(), arg));
        } else {
          task_.switch_to_implicit(stack, now);
        }
        break;
      case kTaskReturn:
        task_.return_to(stack, now, arg);
        break;
      case kTaskNote:
        task_.note(stack, now, arg, first);
        break;
      case kDependences:
        if (!words.empty()) task_.depend(now, first, words.subspan(1));
        break;
      case kOwnDependences:
        task_.depend(now, arg != 0 ? own_task_id(stack.stream(), arg) : stack.dependence_wait(),
                     words);
        break;
      case kSyncBegin:
        wait_.sync_begin(stack, now, arg, words);
        break;
      case kSyncEnd:
        wait_.sync_end(stack, now, arg);
        break;
      case kWaitBegin:
        wait_.group_wait_begin(stack, now);
        break;
      case kWaitEnd:
        wait_.group_wait_end(stack, now);
        break;
      case kWorkBegin:
        work_.work_begin(stack, now, arg, words);
        break;
      case kWorkEnd:
        work_.work_end(stack, now, arg);
        break;
      case kDispatch:
        work_.dispatch(stack, now, arg, words);
        break;
      case kMaskedBegin:
        work_.masked_begin(stack, now, words);
        break;
      case kMaskedEnd:
        work_.masked_end(stack, now);
        break;
      case kMutexAcquire:
        wait_.mutex_acquire(stack, now, arg, words);
        break;
      case kMutexAcquired:
        wait_.mutex_acquired(stack, now, arg, words);
        break;
      case kMutexReleased:
        wait_.mutex_released(stack, now, words);
        break;
      case kCancel:
        work_.cancel(stack, now, arg, words);
        break;
      case kError:
        work_.error(stack, now, arg);
        break;
      case kPlace:
        team_.place(arg, words);
        break;
      case kTargetBegin:
        work_.target_begin(stack, now, arg, words);
        break;
      case kTargetEnd:
        work_.target_end(stack, now);
        break;
      case kDataBegin:
        work_.data_begin(stack, now, arg, words);
        break;
      case kSubmitBegin:
        work_.submit_begin(stack, now, arg);
        break;
      case kDataEnd:
      case kSubmitEnd:
        work_.target_part_end(stack, now);
        break;
      default:
        break;
    }
    context_.count_state(stack, at_ns);
    if (stack.is_gone) context_.model.worker_states.end(stack.worker, at_ns);
  }

  void finish(int64_t end_ns) override {
    wait_.finish(end_ns);
    team_.finish(end_ns);
    for (const auto& stack : context_.stacks) {
      if (!stack) continue;
      stack->is_cut = true;
      while (!stack->is_empty()) {
        if (stack->back().has_slice) {
          stack->slice(stack->back()).arguments.add({"unfinished", true});
        }
        stack->pop(end_ns);
      }
    }
    // Nobody can wait any more for what is finished.
    context_.tasks.for_each([&](Task& task) {
      if (task.scope) task.scope->clear(context_.model.tasks, end_ns);
    });
    context_.counters.finish();
  }

 private:
  /// The same runtime may introduce itself again.
  void note_runtime(uint32_t name) {
    RunFacts& notes = context_.model.notes;
    if (name == 0 || find_fact(notes, "openmp") != nullptr) return;
    notes.emplace_back("openmp", std::string(context_.model.strings.text(name)), FactScope::kRun);
  }

  Context context_;
  TeamDecoder team_;
  TaskDecoder task_;
  WaitDecoder wait_;
  WorkDecoder work_;
};

}  // namespace

std::unique_ptr<Decoder> make_decoder(Model& model) { return std::make_unique<OmptDecoder>(model); }

}  // namespace perseid::ompt
