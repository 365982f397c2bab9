// capture/stream_cursor.cpp: fills a cursor's buffer piece by piece, each position once.
#include "capture/stream_cursor.h"

#include <fmt/format.h>

#include <algorithm>

#include "capture/checksum.h"
#include "capture/reader.h"

namespace perseid {

StreamCursor::StreamCursor(Capture& capture, const StreamSource& source)
    : capture_(&capture),
      source_(&source),
      known_(&capture.known_),
      first_plausible_(capture.timebase().first_plausible()),
      plausible_span_(capture.timebase().plausible_span()),
      buffer_position_(source.base),
      chunks_(source.chunks) {
  if (source.ring != nullptr) ring_ = *source.ring;
}

uint64_t StreamCursor::first_ticks_hint(const Capture& capture, const StreamSource& source) {
  if (source.chunks != nullptr && !source.chunks->empty()) {
    return source.chunks->front().first_ticks;
  }
  uint64_t ticks = 0;
  if (source.ring != nullptr && source.ring->covers(source.ring->first)) {
    const File file(source.ring->path, File::Link::kRefused);
    if (file.is_open() && read_ring(file, *source.ring, source.ring->first, &ticks, sizeof(ticks),
                                    capture.is_live())) {
      return ticks;
    }
  }
  return 0;
}

void StreamCursor::close() {
  buffer_ = {};
  ring_file_ = File();
  at_ = end_ = 0;
  has_ended_ = true;
}

StreamCursor::Step StreamCursor::next_slowly() {
  if (has_ended_) return Step::kEnd;
  while (!take_record()) {
    const size_t left = end_ - at_;
    const bool is_cut = left < kHeaderWords || left < kHeaderWords + record_.words;
    if (left > 0 && !(is_cut && position() + 8 * left < piece_end_)) {
      skip_bad_record();
    } else if (left > 0 ? !load_more_of_piece() : !load()) {
      if (left > 0) continue;  // the piece was given up; load() finds what follows it
      has_ended_ = true;
      hole_ = coming_hole_;
      const bool ends_in_hole = coming_hole_.bytes > 0;
      close();
      return ends_in_hole ? Step::kHole : Step::kEnd;
    }
  }
  if (coming_hole_.bytes == 0) return Step::kRecord;
  hole_ = coming_hole_;
  coming_hole_ = {};
  at_ -= kHeaderWords + record_.words;
  return Step::kHole;
}

bool StreamCursor::load() {
  for (;;) {
    if (position() < piece_end_) {
      if (load_more_of_piece()) return true;
      continue;
    }
    const uint64_t now = position();
    const size_t chunks = chunks_ != nullptr ? chunks_->size() : 0;
    while (chunk_ < chunks && (*chunks_)[chunk_].end() <= now) ++chunk_;
    if (chunk_ < chunks && (*chunks_)[chunk_].position <= now) {
      if (open_chunk((*chunks_)[chunk_++])) return true;
    } else if (ring_.covers(now)) {
      open_ring();
    } else if (!move_over_gap()) {
      return false;
    }
  }
}

bool StreamCursor::open_chunk(const ChunkRef& chunk) {
  // A chunk larger than the window is verified in the capture's scratch memory and then read
  // again window by window: with thousands of streams whole chunks would not fit.
  const size_t window = capture_->window_bytes();
  const bool fits = chunk.bytes <= window;
  std::vector<uint64_t>& whole = fits ? buffer_ : capture_->scratch_;
  const size_t words = chunk.bytes / 8;
  if (whole.size() < words) whole.resize(words);
  const uint64_t now = position();
  at_ = end_ = 0;
  buffer_position_ = now;
  if (capture_->spool_.file().read_at(chunk.offset, whole.data(), chunk.bytes) != chunk.bytes ||
      checksum(whole.data(), chunk.bytes) != chunk.payload_checksum) {
    capture_->damages_.add(
        {DamageKind::kChunk, source_->info.stream, chunk.position,
         fmt::format("stream {}: the chunk of {} bytes at position {} does not match its checksum",
                     source_->info.stream, chunk.bytes, chunk.position)});
    explained_until_ = std::max(explained_until_, chunk.end());
    return false;
  }
  const size_t skip = static_cast<size_t>(now - chunk.position) / 8;
  piece_end_ = chunk.end();
  piece_offset_ = chunk.offset - chunk.position;
  piece_is_ring_ = false;
  if (fits) {
    buffer_position_ = chunk.position;
    at_ = skip;
    end_ = words;
  } else {
    end_ = std::min(words - skip, window / 8);
    if (buffer_.size() < end_) buffer_.resize(end_);
    std::memcpy(buffer_.data(), whole.data() + skip, end_ * 8);
  }
  return true;
}

void StreamCursor::open_ring() {
  if (!ring_file_.is_open()) ring_file_ = File(ring_.path, File::Link::kRefused);
  piece_end_ = ring_.head;
  piece_is_ring_ = true;
}

bool StreamCursor::load_more_of_piece() {
  const size_t left = end_ - at_;
  if (left > 0) std::memmove(buffer_.data(), buffer_.data() + at_, left * 8);
  buffer_position_ += 8 * at_;
  at_ = 0;
  end_ = left;
  const uint64_t from = buffer_position_ + 8 * left;
  const auto bytes = static_cast<size_t>(
      std::min<uint64_t>(capture_->window_bytes() - 8 * left, piece_end_ - from));
  if (buffer_.size() < left + bytes / 8) buffer_.resize(left + bytes / 8);
  char* const into = reinterpret_cast<char*>(buffer_.data() + left);
  if (!piece_is_ring_) {
    if (capture_->spool_.file().read_at(from + piece_offset_, into, bytes) == bytes) {
      end_ += bytes / 8;
      return true;
    }
    give_up_piece(DamageKind::kChunk, "a chunk cannot be read");
    return false;
  }
  if (ring_file_.is_open() &&
      read_ring(ring_file_, ring_, from, into, bytes, capture_->is_live())) {
    end_ += bytes / 8;
    return true;
  }
  if (capture_->is_live()) {
    follow_recorder();
  } else {
    give_up_piece(DamageKind::kRing, "its ring cannot be read");
  }
  return false;
}

/// The recorder took bytes out of the ring while they were read. They are in the spool by now, or
/// a flight recorder has overwritten them.
void StreamCursor::follow_recorder() {
  const RingSnapshot now = read_ring_header(ring_.path, ring_file_, ring_.session);
  const bool is_ours = now.problem.empty() && now.info.stream == source_->info.stream;
  ring_.first = is_ours ? std::min(std::max(now.first, ring_.first), ring_.head) : ring_.head;
  if (ring_.covers(buffer_position_)) ring_.first = ring_.head;
  taken_until_ = ring_.head;
  piece_end_ = buffer_position_;
  end_ = 0;
  capture_->spool_.extend();
  if (chunks_ == nullptr) {
    const auto found = capture_->spool_.streams().find(source_->info.stream);
    if (found != capture_->spool_.streams().end()) chunks_ = &found->second.chunks;
  }
}

void StreamCursor::give_up_piece(DamageKind kind, const char* why) {
  capture_->damages_.add(
      {kind, source_->info.stream, position(),
       fmt::format("stream {}: {} at position {}; {} bytes are skipped", source_->info.stream, why,
                   position(), piece_end_ - position())});
  if (piece_is_ring_) ring_.first = ring_.head;
  add_hole(piece_end_, false);
}

void StreamCursor::skip_bad_record() {
  const uint64_t now = position();
  const uint64_t next = piece_is_ring_ ? ring_.next_boundary(now) : piece_end_;
  capture_->damages_.add({DamageKind::kRecord, source_->info.stream, now,
                          fmt::format("stream {}: no record at position {}; {} bytes are skipped",
                                      source_->info.stream, now, next - now)});
  add_hole(next, false);
}

bool StreamCursor::move_over_gap() {
  const uint64_t now = position();
  uint64_t next = ~uint64_t{0};
  if (chunks_ != nullptr && chunk_ < chunks_->size()) next = (*chunks_)[chunk_].position;
  if (ring_.first > now && ring_.first < ring_.head) next = std::min(next, ring_.first);
  // Nothing follows, although the stream went on up to there when the ring was first looked at.
  if (next == ~uint64_t{0} && taken_until_ > now) next = taken_until_;
  if (next == ~uint64_t{0}) {
    if (explained_until_ <= now) return false;
    add_hole(explained_until_, false);
    return true;
  }
  const bool is_overwritten = capture_->is_overwriting() && explained_until_ <= now;
  if (!is_overwritten && explained_until_ < next) {
    capture_->damages_.add({DamageKind::kGap, source_->info.stream, now,
                            fmt::format("stream {}: {} bytes from position {} on are missing",
                                        source_->info.stream, next - now, now)});
  }
  add_hole(next, is_overwritten);
  return true;
}

void StreamCursor::add_hole(uint64_t end, bool is_overwritten) {
  const uint64_t now = position();
  if (coming_hole_.bytes == 0) coming_hole_ = {now, 0, is_overwritten};
  coming_hole_.bytes += end - now;
  coming_hole_.is_overwritten = coming_hole_.is_overwritten && is_overwritten;
  jump_to(end);
}

void StreamCursor::jump_to(uint64_t position) noexcept {
  buffer_position_ = position;
  at_ = end_ = 0;
}

}  // namespace perseid
