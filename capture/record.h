// capture/record.h: the unit of a trace, written by hooks and read after a crash.
//
//    0        8      12     14     15      16                 16 + 8 * words
//    +--------+------+------+------+-------+------------------+
//    | ticks  | arg  | kind | words| flags | word[0 .. words) |
//    +--------+------+------+------+-------+------------------+
//
// Explicit sizes, little endian: these bytes outlive the process and the
// machine. Changing them means a new kFormatVersion and a reader for the old.
#pragma once

#include <cstddef>
#include <cstdint>

namespace perseid {

struct RecordHeader {
  uint64_t ticks;  // raw clock reading; nanoseconds exist only after the merge
  uint32_t arg;    // string id, depth or device, as the producer's events.h has it for `kind`
  uint16_t kind;   // high byte: producer, low byte: index in its event table
  uint8_t words;   // payload length in 8-byte words
  uint8_t flags;   // RecordFlag
};
static_assert(sizeof(RecordHeader) == 16);

enum RecordFlag : uint8_t {
  kRecordTruncated = 1,  // the payload did not fit into 255 words and was cut
};

inline constexpr size_t kMaxRecordWords = 255;

/// The first byte of a record's kind: who wrote it and who decodes it.
enum class ProducerId : uint8_t {
  kCore = 0,
  kAnnotations = 1,
  kStarpu = 2,
  kOmpt = 3,
  kCupti = 4,
  kOpencl = 5,
  kMpi = 6,
};

constexpr uint16_t make_kind(ProducerId producer, uint8_t index) noexcept {
  return static_cast<uint16_t>(static_cast<uint16_t>(producer) << 8 | index);
}

}  // namespace perseid
