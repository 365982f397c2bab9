// tests/fuzz/mutator.h: changes a capture where a reader looks, not at random bytes.
//
// Bytes at random mostly make records of unknown kinds. This one knows where headers, records and
// texts are and gives their fields values that hurt; sums are made right when the input is
// unpacked.
#pragma once

#include <cstdint>
#include <random>

#include "tests/fuzz/capture_parts.h"

namespace perseid::test {

class Mutator {
 public:
  explicit Mutator(uint64_t seed) : random_(seed) {}

  /// One to four changes.
  void mutate(CaptureParts& parts);
  /// Any file: cuts, repeats, moves and changes bytes.
  void damage(std::string& bytes);

 private:
  uint64_t below(uint64_t limit) { return limit != 0 ? random_() % limit : 0; }
  bool once_in(uint64_t times) { return below(times) == 0; }
  /// A number at the edge of something, more often than not.
  uint64_t nasty();
  void change_spool(std::string& spool);
  void change_header(std::string& spool, size_t at);
  void change_ring(std::string& ring);
  void change_records(std::string& bytes, size_t from, size_t to);
  void change_record(std::string& bytes, size_t at, size_t other, size_t to);
  void change_strings(std::string& strings);
  void change_state(std::string& state);
  void change_text(std::string& text);

  std::mt19937_64 random_;
};

}  // namespace perseid::test
