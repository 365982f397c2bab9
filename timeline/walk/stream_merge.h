// timeline/walk/stream_merge.h: the records of all streams in order of time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "capture/reader.h"
#include "capture/stream_cursor.h"

namespace perseid {

/// A k-way merge that opens a stream when its time has come and closes it when it is over, so
/// that memory grows with the streams that live at the same time. Of records at equal times the
/// one of the lower stream comes first.
class Merge {
 public:
  explicit Merge(Capture& capture);

  /// False when all streams are at their end.
  bool next() {
    if (current_ != nullptr) [[likely]] {
      step_ = current_->next();
      if (step_ == StreamCursor::Step::kRecord) [[likely]] {
        if (current_->record().ticks > heap_[0].ticks) heap_[0].ticks = current_->record().ticks;
        if (heap_[0] < runner_up_) [[likely]]
          return true;
      }
    }
    return next_slowly();
  }

  /// Of the current step. Ticks never fall, neither within a stream nor over all.
  size_t stream() const noexcept { return heap_[0].stream; }  // index in capture.streams()
  uint64_t ticks() const noexcept { return heap_[0].ticks; }
  bool is_hole() const noexcept { return step_ == StreamCursor::Step::kHole; }
  const Hole& hole() const noexcept { return current_->hole(); }
  /// Of a hole: whether the stream goes on after it.
  bool has_record_after() const noexcept { return current_->has_record_after(); }
  const RecordHeader& record() const noexcept { return current_->record(); }
  std::span<const uint64_t> words() const noexcept { return current_->words(); }

 private:
  /// A stream's next step: at the top of the heap the current one.
  struct Entry {
    uint64_t ticks;
    uint32_t stream;
    bool operator<(const Entry& other) const noexcept {
      return ticks != other.ticks ? ticks < other.ticks : stream < other.stream;
    }
  };

  static constexpr Entry kNobody{~uint64_t{0}, ~uint32_t{0}};

  bool next_slowly();
  void open_top();
  void drop_top();
  void sift_down() noexcept;
  void find_runner_up() noexcept;

  Capture* capture_;
  std::vector<std::unique_ptr<StreamCursor>> cursors_;  // null: not opened yet, or over
  std::vector<StreamCursor::Step> steps_;               // what each open cursor is at
  std::vector<Entry> heap_;
  Entry runner_up_ = kNobody;  // the smallest below the top
  StreamCursor* current_ = nullptr;
  StreamCursor::Step step_ = StreamCursor::Step::kEnd;
};

}  // namespace perseid
