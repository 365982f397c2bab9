// tests/fuzz/capture_parts.h: the files of a capture in one string of bytes, for the fuzzer.
//
//   flags | part, length (3 bytes), bytes | part, length, bytes | ...
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace perseid::test {

/// Sums are made right before reading: without it no mutation would get past them.
inline constexpr uint8_t kSealSums = 1;
/// Also writes the timeline and checks it.
inline constexpr uint8_t kWriteTimeline = 2;

/// Files by their number in the input.
inline constexpr const char* kParts[] = {"manifest", "state",  "strings", "spool",
                                         "topology", "1.ring", "2.ring"};

/// The input that unpack() turns into the capture in `directory`.
std::string pack(const std::string& directory, uint8_t flags);

/// Writes the files into `directory` and returns the flags.
uint8_t unpack(std::string_view input, const std::string& directory);

}  // namespace perseid::test
