// timeline/walk/stream_merge.cpp: a binary heap of streams; the top one runs until another is due.
#include "timeline/walk/stream_merge.h"

#include <algorithm>
#include <utility>

namespace perseid {

Merge::Merge(Capture& capture)
    : capture_(&capture),
      cursors_(capture.streams().size()),
      steps_(capture.streams().size(), StreamCursor::Step::kEnd) {
  for (size_t i = 0; i < capture.streams().size(); ++i) {
    const uint64_t hint = StreamCursor::first_ticks_hint(capture, capture.streams()[i]);
    heap_.push_back({std::min(hint, kNobody.ticks - 1), static_cast<uint32_t>(i)});
  }
  // A sorted array is a heap.
  std::sort(heap_.begin(), heap_.end());
  find_runner_up();
}

bool Merge::next_slowly() {
  if (current_ != nullptr) {
    steps_[heap_[0].stream] = step_;
    if (step_ == StreamCursor::Step::kEnd) {
      drop_top();
    } else if (step_ == StreamCursor::Step::kHole && current_->has_record_after()) {
      heap_[0].ticks = std::max(heap_[0].ticks, current_->record().ticks);
    }
    current_ = nullptr;
  }
  while (!heap_.empty()) {
    sift_down();
    find_runner_up();
    if (cursors_[heap_[0].stream] == nullptr) {
      open_top();
      continue;
    }
    current_ = cursors_[heap_[0].stream].get();
    step_ = steps_[heap_[0].stream];
    return true;
  }
  return false;
}

void Merge::open_top() {
  Entry& top = heap_[0];
  auto cursor = std::make_unique<StreamCursor>(*capture_, capture_->streams()[top.stream]);
  const StreamCursor::Step step = cursor->next();
  if (step == StreamCursor::Step::kEnd) {
    drop_top();
    return;
  }
  if (step == StreamCursor::Step::kRecord || cursor->has_record_after()) {
    top.ticks = std::max(top.ticks, cursor->record().ticks);
  }
  steps_[top.stream] = step;
  cursors_[top.stream] = std::move(cursor);
}

void Merge::drop_top() {
  cursors_[heap_[0].stream].reset();
  heap_[0] = heap_.back();
  heap_.pop_back();
}

void Merge::sift_down() noexcept {
  const Entry moving = heap_[0];
  size_t at = 0;
  for (;;) {
    size_t child = 2 * at + 1;
    if (child >= heap_.size()) break;
    if (child + 1 < heap_.size() && heap_[child + 1] < heap_[child]) ++child;
    if (moving < heap_[child]) break;
    heap_[at] = heap_[child];
    at = child;
  }
  heap_[at] = moving;
}

void Merge::find_runner_up() noexcept {
  runner_up_ = kNobody;
  for (size_t child = 1; child < std::min<size_t>(heap_.size(), 3); ++child) {
    if (heap_[child] < runner_up_) runner_up_ = heap_[child];
  }
}

}  // namespace perseid
