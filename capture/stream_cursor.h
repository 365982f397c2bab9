// capture/stream_cursor.h: the records of one stream, in order, from spool and ring together.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "capture/file.h"
#include "capture/record.h"
#include "capture/ring_file.h"
#include "capture/spool_index.h"

namespace perseid {

class Capture;

/// Which records exist: by producer, the number of its last event; 0: no such producer.
using KnownKinds = std::array<uint8_t, 256>;

/// One stream as the capture holds it: chunks first, then what the ring still has.
struct StreamSource {
  StreamInfo info{};
  uint64_t base = 0;
  std::vector<ChunkRef>* chunks = nullptr;  // null: never drained
  const RingSnapshot* ring = nullptr;       // null: the ring is gone or has another owner
  StreamRole role = StreamRole::kUnknown;
};

/// Bytes of the stream that cannot be shown, ahead of the cursor's record.
struct Hole {
  uint64_t position = 0;
  uint64_t bytes = 0;
  bool is_overwritten = false;  // by the flight recorder's own design; otherwise damage
};

/// Takes each position once, although a chunk may be both in the spool and the ring. Not copied,
/// not shared; many cursors may be open on one capture.
class StreamCursor {
 public:
  enum class Step : uint8_t { kRecord, kHole, kEnd };

  StreamCursor(Capture& capture, const StreamSource& source);

  /// Ticks at which the stream starts, as far as that is known without reading its payload.
  static uint64_t first_ticks_hint(const Capture& capture, const StreamSource& source);

  /// A hole comes before the record that follows it; has_record_after(): whether there is one.
  Step next() {
    if (take_record()) [[likely]]
      return Step::kRecord;
    return next_slowly();
  }
  /// After kRecord: the record. After kHole: the one that comes next, if there is one.
  const RecordHeader& record() const noexcept { return record_; }
  /// After kRecord, until the next call of next().
  std::span<const uint64_t> words() const noexcept {
    return {buffer_.data() + at_ - record_.words, record_.words};
  }
  const Hole& hole() const noexcept { return hole_; }
  bool has_record_after() const noexcept { return !has_ended_; }
  const StreamSource& source() const noexcept { return *source_; }
  /// Gives the memory back; the cursor is at its end.
  void close();

 private:
  static constexpr size_t kHeaderWords = sizeof(RecordHeader) / 8;

  /// The next record if it is whole in the buffer and sound.
  bool take_record() noexcept {
    if (end_ - at_ < kHeaderWords) return false;
    std::memcpy(&record_, buffer_.data() + at_, sizeof(record_));
    const size_t words = kHeaderWords + record_.words;
    if (end_ - at_ < words || !is_sound(record_)) return false;
    at_ += words;
    return true;
  }
  bool is_sound(const RecordHeader& record) const noexcept {
    return ((record.kind - 1u) & 0xff) < (*known_)[record.kind >> 8] &&
           record.ticks - first_plausible_ <= plausible_span_;
  }
  uint64_t position() const noexcept { return buffer_position_ + 8 * at_; }

  Step next_slowly();
  bool load();
  bool load_more_of_piece();
  void follow_recorder();
  bool open_chunk(const ChunkRef& chunk);
  void open_ring();
  void give_up_piece(DamageKind kind, const char* why);
  void skip_bad_record();
  bool move_over_gap();
  void add_hole(uint64_t end, bool is_overwritten);
  void jump_to(uint64_t position) noexcept;

  Capture* capture_;
  const StreamSource* source_;
  const KnownKinds* known_;
  uint64_t first_plausible_;
  uint64_t plausible_span_;
  RecordHeader record_{};

  std::vector<uint64_t> buffer_;
  size_t at_ = 0;  // next record, in words of the buffer; as `end_`
  size_t end_ = 0;
  uint64_t buffer_position_;  // of buffer_[0]

  const std::vector<ChunkRef>* chunks_;  // null: never drained, as far as the spool was read
  size_t chunk_ = 0;                     // next of them
  uint64_t piece_end_ = 0;               // end of the chunk or ring that the buffer is filled from
  uint64_t piece_offset_ = 0;            // chunk: added to a position it gives the spool's offset
  bool piece_is_ring_ = false;
  uint64_t explained_until_ = 0;  // damage up to here has been reported
  RingSnapshot ring_;             // covers nothing if there is none
  uint64_t taken_until_ = 0;      // up to here a live recorder took bytes out of the ring
  File ring_file_;

  Hole hole_{};         // the one last delivered
  Hole coming_hole_{};  // bytes > 0: to be delivered before the next record
  bool has_ended_ = false;
};

}  // namespace perseid
