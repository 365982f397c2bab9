// capture/reader.h: opens a capture, whatever state it is in.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "capture/clock_line.h"
#include "capture/damage.h"
#include "capture/manifest.h"
#include "capture/recorder_life.h"
#include "capture/result.h"
#include "capture/ring_file.h"
#include "capture/session_state.h"
#include "capture/spool_index.h"
#include "capture/stream_cursor.h"
#include "capture/string_table.h"
#include "capture/timebase.h"

namespace perseid {

/// A capture, opened for reading; the process that writes it may still be at work. Holds the
/// index, not the records: memory grows with chunks and names.
class Capture {
 public:
  /// Fails only if there is nothing to read: no directory, no part of a capture in it, or one
  /// of another format version. Everything else is damage.
  static Result<std::unique_ptr<Capture>> open(const std::string& path, const KnownKinds& known);
  Capture(const Capture&) = delete;
  Capture& operator=(const Capture&) = delete;

  const std::string& path() const noexcept { return path_; }
  const Manifest& manifest() const noexcept { return manifest_; }
  const RecordedState& state() const noexcept { return state_; }
  const std::string& topology() const noexcept { return topology_; }
  const std::string& modules() const noexcept { return modules_; }
  StringTable& strings() noexcept { return strings_; }
  Timebase& timebase() noexcept { return timebase_; }
  DamageLog& damages() noexcept { return damages_; }
  /// By stream number.
  const std::vector<StreamSource>& streams() const noexcept { return streams_; }
  uint64_t chunk_count() const noexcept { return spool_.chunk_count(); }
  /// Bytes of records in spool and rings together, each position counted as often as it exists.
  uint64_t record_bytes() const noexcept { return record_bytes_; }

  /// (ticks, CLOCK_MONOTONIC, CLOCK_REALTIME) along the run, in order.
  const std::vector<ClockAnchor>& anchors() const noexcept { return kept_anchors_; }
  /// From now on times are those of the clock that the line leads to, instead of nanoseconds
  /// since the start of the session.
  void align(const ClockLine& line);

  /// The recording process is alive, as far as one can see from here, and has not recorded that it
  /// is done.
  bool is_live() const noexcept { return is_live_; }
  RecorderLife life() const noexcept { return life_; }
  /// A flight recorder's: the beginning of a stream may be missing by design.
  bool is_overwriting() const noexcept { return is_overwriting_; }

 private:
  friend class StreamCursor;
  explicit Capture(std::string path, const KnownKinds& known);
  void read_texts();
  void read_rings(const std::string& directory);
  void gather_streams();
  void check_truncated_spool();
  void detect_life();
  /// How much of a chunk a cursor keeps in memory at once.
  size_t window_bytes() const noexcept;

  std::string path_;
  KnownKinds known_;
  DamageLog damages_;
  Manifest manifest_;
  RecordedState state_;
  std::string topology_;
  std::string modules_;
  AnchorSet anchors_;
  std::vector<ClockAnchor> kept_anchors_;
  StringTable strings_;
  std::deque<RingSnapshot> rings_;
  SpoolIndex spool_;
  Timebase timebase_;
  std::vector<StreamSource> streams_;
  std::vector<uint64_t> scratch_;  // one whole chunk, while its checksum is verified
  uint64_t record_bytes_ = 0;
  bool is_live_ = false;
  RecorderLife life_ = RecorderLife::kUnknown;
  bool is_overwriting_ = false;
  bool rings_are_complete_ = true;
};

}  // namespace perseid
