// tests/fuzz/capture_parts.h: the files of a capture in one string of bytes, for the fuzzer.
//
//   flags | part, length (3 bytes), bytes | part, length, bytes | ...
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

namespace perseid::test {

/// Sums are made right before reading: without it no mutation would get past them.
inline constexpr uint8_t kSealSums = 1;
/// Also writes the timeline as JSON, or as protobuf, and checks it.
inline constexpr uint8_t kWriteJson = 2;
inline constexpr uint8_t kWritePftrace = 4;
/// Also merges the capture with itself.
inline constexpr uint8_t kMerge = 8;
/// Also damages the timelines, checks and merges them.
inline constexpr uint8_t kDamageTimeline = 16;
inline constexpr uint8_t kAllFlags = 31;

/// Files by their number in the input.
inline constexpr const char* kParts[] = {"manifest", "state",  "strings", "spool",
                                         "topology", "1.ring", "2.ring",  "modules"};

template <class T>
T load(const std::string& bytes, size_t at) {
  T value;
  std::memcpy(&value, bytes.data() + at, sizeof(value));
  return value;
}

/// An input in pieces. Of a ring, the data stands right behind the header.
struct CaptureParts {
  struct Part {
    uint8_t number = 0;  // in kParts
    std::string bytes;

    std::string_view name() const { return kParts[number]; }
  };
  uint8_t flags = 0;
  std::vector<Part> parts;
};
/// Any bytes are some parts.
CaptureParts split(std::string_view input);
std::string join(const CaptureParts& parts);

/// The input that unpack() turns into the capture in `directory`, whatever session recorded it. Of
/// a large file only the beginning is taken.
std::string pack(const std::string& directory, uint8_t flags);

/// Writes the files into `directory` and returns the flags.
uint8_t unpack(std::string_view input, const std::string& directory);

}  // namespace perseid::test
