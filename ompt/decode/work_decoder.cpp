// ompt/decode/work_decoder.cpp: names and arguments of slices that tasks contain.
#include "ompt/decode/work_decoder.h"

#include <fmt/format.h>

namespace perseid::ompt {
namespace {

constexpr uint32_t kMasked = 100;  // not one of the numbers of WorkKind
constexpr uint32_t kTargetRegion = 1;
constexpr uint32_t kTargetPart = 2;

Construct construct_of(WorkKind kind) {
  switch (kind) {
    case WorkKind::kLoopStatic:
      return Construct::kLoopStatic;
    case WorkKind::kLoopDynamic:
      return Construct::kLoopDynamic;
    case WorkKind::kLoopGuided:
      return Construct::kLoopGuided;
    case WorkKind::kSections:
      return Construct::kSections;
    case WorkKind::kSingleExecutor:
    case WorkKind::kSingleOther:
      return Construct::kSingle;
    case WorkKind::kWorkshare:
      return Construct::kWorkshare;
    case WorkKind::kDistribute:
      return Construct::kDistribute;
    case WorkKind::kTaskloop:
      return Construct::kTaskloop;
    case WorkKind::kScope:
      return Construct::kScope;
    default:
      return Construct::kLoop;
  }
}

bool is_loop(WorkKind kind) {
  return construct_of(kind) != Construct::kSingle && kind != WorkKind::kWorkshare &&
         kind != WorkKind::kScope && kind != WorkKind::kSections;
}

/// Chunks follow each other inside their loop; the next one or the loop's end ends each.
void end_chunk(ThreadStack& stack, Moment now) {
  const size_t at = stack.find_own(FrameKind::kChunk);
  if (at != ThreadStack::kNone) stack.pop_to(at, now.ns);
}

std::string_view data_name(uint32_t operation) {
  switch (static_cast<DataOperation>(operation &
                                     ~static_cast<uint32_t>(DataOperation::kAsynchronous))) {
    case DataOperation::kAlloc:
      return "allocate on device";
    case DataOperation::kToDevice:
      return "copy to device";
    case DataOperation::kFromDevice:
      return "copy from device";
    case DataOperation::kDelete:
      return "free on device";
    case DataOperation::kAssociate:
      return "associate with device";
    case DataOperation::kDisassociate:
      return "disassociate from device";
    default:
      return "device data";
  }
}

Construct target_construct(uint32_t kind) {
  switch (static_cast<TargetKind>(kind & ~static_cast<uint32_t>(TargetKind::kNowait))) {
    case TargetKind::kEnterData:
      return Construct::kTargetEnterData;
    case TargetKind::kExitData:
      return Construct::kTargetExitData;
    case TargetKind::kUpdate:
      return Construct::kTargetUpdate;
    default:
      return Construct::kTarget;
  }
}

}  // namespace

void WorkDecoder::work_begin(ThreadStack& stack, Moment now, uint32_t number,
                             std::span<const uint64_t> words) {
  if (words.size() < 2) return;
  const auto kind = static_cast<WorkKind>(number);
  if (kind == WorkKind::kSingleOther) {  // another thread does it: nothing to be seen here
    stack.push_hidden(FrameKind::kWork, now.ns).detail = number;
    return;
  }
  const auto name = context_->name(construct_of(kind), stack, words[0], now);
  Frame& frame = stack.push(FrameKind::kWork, now.ns, name, kWorkCategory);
  frame.detail = number;
  frame.code = words[0];
  if (is_loop(kind)) stack.slice(frame).arguments.add({"iterations", words[1]});
  if (kind == WorkKind::kSections) stack.slice(frame).arguments.add({"sections", words[1]});
  if (kind == WorkKind::kTaskloop && context_->names.is_in_program(words[0], now.ticks)) {
    if (Task* const task = stack.running()) task->taskloop_code = words[0];
  }
}

/// By position, not by kind: a distributed loop begins as one kind and ends as another.
void WorkDecoder::work_end(ThreadStack& stack, Moment now, uint32_t number) {
  const size_t at = stack.find_own(FrameKind::kWork);
  if (at != ThreadStack::kNone) stack.pop_to(at, now.ns);
  if (static_cast<WorkKind>(number) != WorkKind::kTaskloop) return;
  if (Task* const task = stack.running()) task->taskloop_code = 0;
}

void WorkDecoder::dispatch(ThreadStack& stack, Moment now, uint32_t number,
                           std::span<const uint64_t> words) {
  if (words.size() < 2) return;
  const auto kind = static_cast<DispatchKind>(number);
  const size_t work = stack.find_own(FrameKind::kWork);
  if (kind == DispatchKind::kTaskloopChunk || work == ThreadStack::kNone) {
    // Each task of a taskloop is one chunk.
    const size_t task = stack.innermost_task();
    if (task == ThreadStack::kNone || !stack[task].has_slice) return;
    ArgumentList& arguments = stack.slice(stack[task]).arguments;
    arguments.add({"first_iteration", words[0]});
    if (words[1] > 0) arguments.add({"iterations", words[1]});
    return;
  }
  if (static_cast<WorkKind>(stack[work].detail) == WorkKind::kLoopStatic ||
      static_cast<WorkKind>(stack[work].detail) == WorkKind::kDistribute) {
    // The runtime reports only the first chunk of each thread.
    if (stack[work].has_slice) {
      stack.slice(stack[work]).arguments.add({"first_iteration", words[0]});
    }
    return;
  }
  end_chunk(stack, now);
  const bool is_section = kind == DispatchKind::kSection;
  const auto name = is_section ? std::string_view("section")
                               : context_->name(Construct::kChunk, stack, stack[work].code, now);
  Frame& frame = stack.push(FrameKind::kChunk, now.ns, name, kWorkCategory);
  ArgumentList& arguments = stack.slice(frame).arguments;
  if (is_section) {
    arguments.add({"code", Pointer{words[0]}});
  } else {
    arguments.add({"first_iteration", words[0]});
    if (words[1] > 0) arguments.add({"iterations", words[1]});
  }
}

void WorkDecoder::masked_begin(ThreadStack& stack, Moment now, std::span<const uint64_t> words) {
  const auto name = context_->name(Construct::kMasked, stack, words.empty() ? 0 : words[0], now);
  stack.push(FrameKind::kWork, now.ns, name, kWorkCategory).detail = kMasked;
}

void WorkDecoder::masked_end(ThreadStack& stack, Moment now) {
  const size_t at = stack.find_own(FrameKind::kWork);
  if (at != ThreadStack::kNone && stack[at].detail == kMasked) stack.pop_to(at, now.ns);
}

void WorkDecoder::cancel(ThreadStack& stack, Moment now, uint32_t flags,
                         std::span<const uint64_t> words) {
  const std::string_view what = (flags & kCancelParallel)   ? "parallel"
                                : (flags & kCancelSections) ? "sections"
                                : (flags & kCancelLoop)     ? "loop"
                                                            : "taskgroup";
  const std::string_view state = (flags & kCancelActivated)  ? "activated"
                                 : (flags & kCancelDetected) ? "detected"
                                                             : "task discarded";
  const Argument arguments[] = {{"construct", what}, {"state", state}};
  stack.thread().lane.add_instant(
      now.ns, context_->name(Construct::kCancel, stack, words.empty() ? 0 : words[0], now),
      kNoteCategory, arguments);
}

void WorkDecoder::error(ThreadStack& stack, Moment now, uint32_t message) {
  const std::string text = fmt::format("error: {}", context_->model.strings.text(message));
  stack.thread().lane.add_instant(now.ns, text, kNoteCategory, {});
}

void WorkDecoder::target_begin(ThreadStack& stack, Moment now, uint32_t kind,
                               std::span<const uint64_t> words) {
  if (words.size() < 2) return;
  const auto name = context_->name(target_construct(kind), stack, words[1], now);
  Frame& frame = stack.push(FrameKind::kTarget, now.ns, name, kTargetCategory);
  frame.detail = kTargetRegion;
  stack.slice(frame).arguments.add({"device", int64_t{static_cast<int32_t>(words[0])}});
}

void WorkDecoder::data_begin(ThreadStack& stack, Moment now, uint32_t operation,
                             std::span<const uint64_t> words) {
  if (words.size() < 4) return;
  Frame& frame = stack.push(FrameKind::kTarget, now.ns, data_name(operation), kTargetCategory);
  frame.detail = kTargetPart;
  ArgumentList& arguments = stack.slice(frame).arguments;
  arguments.add({"bytes", words[3]});
  arguments.add({"from", Pointer{words[0]}});
  arguments.add({"from_device", int64_t{static_cast<int32_t>(words[1] & UINT32_MAX)}});
  arguments.add({"to", Pointer{words[2]}});
  arguments.add({"to_device", int64_t{static_cast<int32_t>(words[1] >> 32)}});
}

void WorkDecoder::submit_begin(ThreadStack& stack, Moment now, uint32_t teams) {
  Frame& frame = stack.push(FrameKind::kTarget, now.ns, "run kernel", kTargetCategory);
  frame.detail = kTargetPart;
  stack.slice(frame).arguments.add({"teams", uint64_t{teams}});
}

void WorkDecoder::target_end(ThreadStack& stack, Moment now) {
  end_innermost(stack, now, kTargetRegion);
}

void WorkDecoder::target_part_end(ThreadStack& stack, Moment now) {
  end_innermost(stack, now, kTargetPart);
}

void WorkDecoder::end_innermost(ThreadStack& stack, Moment now, uint32_t part) {
  const size_t at = stack.find_own(FrameKind::kTarget);
  if (at != ThreadStack::kNone && stack[at].detail == part) stack.pop_to(at, now.ns);
}

}  // namespace perseid::ompt
