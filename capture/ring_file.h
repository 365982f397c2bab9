// capture/ring_file.h: the records that a thread's ring still held.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "capture/file.h"
#include "capture/format.h"

namespace perseid {

/// A ring file's header as it was when read. The file is opened again for its bytes: there may
/// be more rings than descriptors.
struct RingSnapshot {
  std::string path;
  OnFull on_full = OnFull::kFlush;
  uint64_t session = 0;
  uint64_t capacity = 0;
  StreamInfo info{};  // stream 0: the ring has no owner
  StreamRole role = StreamRole::kUnknown;
  uint64_t base = 0;
  uint64_t head = 0;
  uint64_t first = 0;  // oldest position that can be read; a record starts here
  uint64_t lost = 0;
  std::array<uint64_t, kRingBlocks> block_start{};
  std::string problem;  // "": usable

  bool covers(uint64_t position) const noexcept { return first <= position && position < head; }
  /// The next position after `position` at which a record is known to start; `head` if none.
  uint64_t next_boundary(uint64_t position) const noexcept;
};

/// `session` 0 accepts any.
RingSnapshot read_ring_header(const std::string& path, const File& file, uint64_t session);

/// Copies positions [position, position + bytes), which the snapshot must cover. False if they
/// cannot be read or, with `is_live`, if the recorder took them away meanwhile.
bool read_ring(const File& file, const RingSnapshot& ring, uint64_t position, void* into,
               size_t bytes, bool is_live);

}  // namespace perseid
