// tests/stream/fabricate.h: makes captures without a program, record by record.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "annotations/events.h"
#include "capture/format.h"
#include "capture/record.h"
#include "tests/stream/temporary_directory.h"

namespace perseid::test {

/// The made-up clock: two ticks per nanosecond, from a start that is not 0.
inline constexpr uint64_t kStartTicks = 1'000'000'000'000;
inline constexpr int64_t kStartMonoNs = 77'000'000'000;
inline constexpr uint64_t kSession = 0x00c0ffee00c0ffee;
constexpr uint64_t ticks_at(int64_t ns) { return kStartTicks + static_cast<uint64_t>(2 * ns); }
ClockAnchor anchor_at(int64_t ns, uint32_t spread = 20);

using Words = std::vector<uint64_t>;

/// One thread's records, and which of them are where.
class StreamBuilder {
 public:
  StreamBuilder(StreamInfo info, class CaptureBuilder& capture) : info_(info), capture_(&capture) {}

  StreamBuilder& record(int64_t at_ns, uint16_t kind, uint32_t arg, const Words& words = {},
                        uint8_t flags = 0);

  StreamBuilder& begin(int64_t at_ns, std::string_view name, const Words& arguments = {});
  StreamBuilder& end(int64_t at_ns, uint32_t around, const Words& arguments = {});
  StreamBuilder& instant(int64_t at_ns, std::string_view name, const Words& arguments = {});
  StreamBuilder& counter(int64_t at_ns, std::string_view name, double value);
  StreamBuilder& flow_out(int64_t at_ns, uint64_t id);
  StreamBuilder& flow_in(int64_t at_ns, uint64_t id);
  StreamBuilder& lane_begin(int64_t at_ns, std::string_view lane, uint64_t slice,
                            std::string_view name, const Words& arguments = {});
  StreamBuilder& lane_end(int64_t at_ns, std::string_view lane, uint64_t slice,
                          const Words& arguments = {});
  StreamBuilder& phase(int64_t at_ns, std::string_view name);  // "": ends the phase
  StreamBuilder& lost(int64_t at_ns, uint32_t depth, uint64_t count, int64_t first_ns,
                      uint64_t fewest);

  /// The next record starts a new chunk.
  StreamBuilder& cut();
  /// Chunks from here on are not in the spool, but in the ring.
  StreamBuilder& ring_from_here();
  /// The ring also holds what has been recorded so far, although it is in the spool.
  StreamBuilder& ring_holds_all();

  uint64_t base = 0;
  uint64_t lost_in_ring = 0;
  uint64_t ring_capacity = kMinRingBytes;
  OnFull on_full = OnFull::kFlush;
  StreamRole role = StreamRole::kUnknown;
  std::vector<size_t> dropped_chunks;  // numbers of chunks that are missing from the spool

 private:
  friend class CaptureBuilder;
  struct Chunk {
    size_t from;  // index in words_
    uint64_t first_ticks;
  };

  uint64_t end_position() const noexcept { return base + 8 * words_.size(); }

  StreamInfo info_;
  CaptureBuilder* capture_;
  Words words_;
  std::vector<Chunk> chunks_;
  bool starts_chunk_ = true;
  size_t spool_end_ = SIZE_MAX;   // index in words_
  size_t ring_begin_ = SIZE_MAX;  // index in words_
  int64_t last_ns_ = 0;
};

/// Fill it in, write() it, damage its files as you like, and read it.
class CaptureBuilder {
 public:
  CaptureBuilder();

  uint32_t string(std::string_view text);
  StreamBuilder& stream(uint32_t number, uint32_t tid, std::string_view name = "",
                        int32_t bound_cpu = -1);
  /// One argument, as a payload carries it.
  Words argument(std::string_view key, int64_t value);
  Words argument(std::string_view key, uint64_t value);
  Words argument(std::string_view key, double value);
  Words argument(std::string_view key, bool value);
  Words argument(std::string_view key, std::string_view value);
  Words argument(std::string_view key, const char* value) {
    return argument(key, std::string_view(value));
  }
  Words argument(std::string_view key, const std::string& value) {
    return argument(key, std::string_view(value));
  }
  Words pointer(std::string_view key, uint64_t address);

  void write();

  const std::string& path() const noexcept { return path_; }
  std::string file(const std::string& name) const { return path_ + "/" + name; }

  std::map<std::string, std::string> manifest;  // has sensible values
  std::vector<ClockAnchor> anchors;             // in the state file
  std::vector<ClockSync> syncs;                 // at most kMaxClockSyncs; sums are filled in
  uint32_t mpi_rank = 0;
  uint32_t mpi_size = 0;
  SessionEnd end = SessionEnd::kFinished;
  uint32_t end_signal = 0;
  uint32_t pid = 4242;
  uint64_t lost_without_ring = 0;
  uint64_t nested = 0;
  uint64_t names_lost = 0;
  uint64_t spool_errors = 0;
  std::string topology;

 private:
  void write_state(uint64_t spooled_bytes);
  void write_strings();
  uint64_t write_spool() const;  // bytes
  void write_rings();

  TemporaryDirectory directory_;
  std::string path_;
  std::deque<StreamBuilder> streams_;
  std::string strings_;  // the file's bytes
  std::map<std::string, uint32_t, std::less<>> ids_;
};

/// Words one after the other.
Words operator+(Words a, const Words& b);

void write_file(const std::string& path, std::string_view bytes);
std::string read_file(const std::string& path);

}  // namespace perseid::test
