// timeline/drawing/thread_ranges.h: the ranges open on one thread, and their repair after a loss.
//
// Begins and ends are two records, and either may be missing: dropped by a full ring, damaged,
// recorded while paused, or overwritten by a flight recorder. An end has how many ranges are
// open around its own, so that the first end after such a hole shows what happened in it:
//
//   known before the hole:   A B      begun since:  C      end of C has "1 around it"
//   => one of A, B ended inside the hole. Ranges nest, so it was B.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "timeline/drawing/lanes.h"

namespace perseid {

/// Why begins or ends are missing, in the words shown to the user.
struct HoleReason {
  std::string_view end;          // argument `end` of a range whose end is missing
  std::string_view placeholder;  // name of a range whose begin is missing
};
inline constexpr HoleReason kLostHole{"lost", "(begin lost)"};
inline constexpr HoleReason kPausedHole{"paused", "(begun while paused)"};
inline constexpr HoleReason kOverwrittenHole{"lost", "(begun earlier)"};

/// A record may claim any number of ranges whose begins are missing. Begins and ends that are there
/// pay for those that are made up, after a stock for holes.
class PlaceholderBudget {
 public:
  void add_record() noexcept { ++left_; }
  size_t take(size_t wanted) noexcept {
    const size_t taken = wanted < left_ ? wanted : left_;
    left_ -= taken;
    return taken;
  }

 private:
  size_t left_ = 4096;
};

class ThreadRanges {
 public:
  ThreadRanges(Lane& lane, PlaceholderBudget& budget) : lane_(&lane), budget_(&budget) {}

  Lane::Handle begin(int64_t at_ns, std::string_view name, const Category& category);
  /// The range that ends with `around` others open around it; made up if its begin is missing.
  /// The caller adds the end's arguments and calls close_innermost().
  Lane::Handle find_ending(int64_t at_ns, size_t around);
  void close_innermost(int64_t at_ns);

  /// From `at_ns` on an unknown number of begins and ends are missing.
  void note_hole(int64_t at_ns, const HoleReason& reason);
  /// Records from `first_ns` to `at_ns` are missing. Of the ranges open before, the outer
  /// `fewest` are still the same; by now `depth` are open.
  void repair(int64_t first_ns, int64_t at_ns, size_t fewest, size_t depth,
              const HoleReason& reason);

  bool is_empty() const noexcept { return open_.empty(); }
  Lane::Handle innermost() const noexcept { return open_.back(); }
  size_t size() const noexcept { return open_.size(); }
  /// Closes everything at the end of the trace and adds why each range has no end.
  void finish(int64_t at_ns);

 private:
  void close_with_reason(Lane::Handle range, int64_t at_ns);

  size_t missing(size_t depth) noexcept;

  Lane* lane_;
  PlaceholderBudget* budget_;
  std::vector<Lane::Handle> open_;  // outermost first
  bool has_hole_ = false;           // and no end since has shown what happened in it
  size_t before_hole_ = 0;          // of `open_`, how many began before it
  int64_t hole_ns_ = 0;
  HoleReason reason_ = kLostHole;
};

}  // namespace perseid
