// capture/spool_index.h: where in the spool the chunks of each stream are.
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "capture/damage.h"
#include "capture/file.h"
#include "capture/format.h"
#include "capture/timebase.h"

namespace perseid {

/// One chunk, in 32 bytes: a long run has hundreds of thousands of them.
struct ChunkRef {
  uint64_t offset;  // of the payload, in the spool
  uint64_t position;
  uint64_t first_ticks;
  uint32_t bytes;
  uint32_t payload_checksum;

  uint64_t end() const noexcept { return position + bytes; }
};
static_assert(sizeof(ChunkRef) == 32);

struct StreamChunks {
  StreamInfo info{};  // as the role, of the chunk furthest along the stream: both change
  StreamRole role = StreamRole::kUnknown;
  uint64_t base = 0;
  std::vector<ChunkRef> chunks;  // by position
  uint64_t furthest = 0;         // position of a chunk
  bool is_sorted = true;
};

/// Reads headers only; payloads are checked when a cursor reads them. After unreadable bytes
/// the next header is searched for at every byte offset.
class SpoolIndex {
 public:
  /// A chunk whose header was written whole and whose payload was not: a process was killed in
  /// write(), or the disk was full. The ring keeps the bytes until a whole chunk has them.
  struct TornChunk {
    uint32_t stream;
    uint64_t position;
    uint32_t bytes;
  };

  SpoolIndex() = default;
  /// `session` 0: take it from the first sound header. Writes that failed leave pieces of
  /// headers in the file, which are not damage.
  SpoolIndex(File file, uint64_t session, bool had_failed_writes, DamageLog& damages,
             AnchorSet& anchors);

  /// Looks for chunks appended since; a live recorder goes on writing.
  void extend();

  const File& file() const noexcept { return file_; }
  uint64_t session() const noexcept { return session_; }
  uint64_t chunk_count() const noexcept { return chunk_count_; }
  uint64_t payload_bytes() const noexcept { return payload_bytes_; }
  std::unordered_map<uint32_t, StreamChunks>& streams() noexcept { return streams_; }
  const std::vector<TornChunk>& torn_chunks() const noexcept { return torn_chunks_; }
  /// Bytes at the end of the file that are too few for a header.
  uint64_t torn_bytes() const noexcept { return torn_bytes_; }

 private:
  void scan();
  void sort();
  bool is_sound(const ChunkHeader& header) const noexcept;
  bool payload_matches(uint64_t offset, const ChunkHeader& header);
  /// Offset of the next sound header at or after `from`, or the end of the file.
  uint64_t find_header(uint64_t from, uint64_t end);
  void add(uint64_t offset, const ChunkHeader& header);
  void report_rubble(uint64_t from, uint64_t to);

  File file_;
  uint64_t session_ = 0;
  bool had_failed_writes_ = false;
  DamageLog* damages_ = nullptr;
  AnchorSet* anchors_ = nullptr;
  uint64_t scanned_ = 0;
  uint64_t chunk_count_ = 0;
  uint64_t payload_bytes_ = 0;
  std::unordered_map<uint32_t, StreamChunks> streams_;
  std::vector<TornChunk> torn_chunks_;
  bool last_is_torn_ = false;  // the last of them ends the file, perhaps only for now
  uint64_t torn_bytes_ = 0;
  uint64_t mismatched_bytes_ = 0;  // read for nothing
};

}  // namespace perseid
