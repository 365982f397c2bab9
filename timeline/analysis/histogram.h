// timeline/analysis/histogram.h: how durations are distributed, in little memory.
//
//   ns       0 .. 127          128 .. 255       256 .. 511       512 ..
//   buckets  one for each      64, of 2 ns      64, of 4 ns      64, of 8 ns ...
//
// A bucket is at most 1/64 as wide as its values are large, so that its middle is at most 0.8 %
// away from any of them.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace perseid {

/// Merging is exact: the histogram of all values is the sum of the histograms of their parts.
class Histogram {
 public:
  void add(int64_t ns) {
    ns = std::max<int64_t>(ns, 0);  // where clocks of a damaged capture go back
    const uint32_t bucket = bucket_of(ns);
    if (bucket - first_ < all_.size()) [[likely]] {
      ++all_[bucket - first_];
    } else {
      ++place(bucket);
    }
    ++count_;
    sum_ns_ += ns;
    min_ns_ = std::min(min_ns_, ns);
    max_ns_ = std::max(max_ns_, ns);
  }
  void add(const Histogram& other);
  /// Takes out what add() put in. Least and largest value stay as they are.
  void remove(const Histogram& other);

  uint64_t count() const noexcept { return count_; }
  int64_t sum_ns() const noexcept { return sum_ns_; }
  int64_t min_ns() const noexcept { return count_ > 0 ? min_ns_ : 0; }
  int64_t max_ns() const noexcept { return count_ > 0 ? max_ns_ : 0; }
  int64_t mean_ns() const noexcept {
    return count_ > 0 ? sum_ns_ / static_cast<int64_t>(count_) : 0;
  }
  /// The value below which (or at which) `share` of all are. 0 if there are none.
  int64_t quantile_ns(double share) const;
  int64_t median_ns() const { return quantile_ns(0.5); }

  /// Calls `use(ns, count)` for each bucket that has values, from short to long.
  template <class Use>
  void for_each(Use&& use) const {
    for (const Few& few : few_) use(value_of(few.bucket), few.count);
    for (size_t i = 0; i < all_.size(); ++i) {
      if (all_[i] != 0) use(value_of(first_ + static_cast<uint32_t>(i)), all_[i]);
    }
  }

  /// Bytes beyond the object itself.
  size_t memory() const noexcept {
    return few_.capacity() * sizeof(Few) + all_.capacity() * sizeof(uint64_t);
  }

 private:
  static constexpr uint32_t kPerOctave = 64;
  static constexpr int kOctaveBits = 6;
  /// Buckets that a sorted list holds. Beyond, a table of all between the first and the last is
  /// faster, and no larger where durations lie within an octave.
  static constexpr size_t kMaxFew = 48;

  struct Few {
    uint32_t bucket;
    uint64_t count;
  };

  static uint32_t bucket_of(int64_t ns) noexcept {
    const auto value = static_cast<uint64_t>(ns);
    const int shift = std::max(0, static_cast<int>(std::bit_width(value)) - kOctaveBits - 1);
    return static_cast<uint32_t>(shift) * kPerOctave + static_cast<uint32_t>(value >> shift);
  }
  /// The middle of the bucket, or what is nearest to it among the values that are there.
  int64_t value_of(uint32_t bucket) const noexcept {
    const uint32_t shift = bucket < 2 * kPerOctave ? 0 : bucket / kPerOctave - 1;
    const uint64_t lowest = uint64_t{bucket - shift * kPerOctave} << shift;
    const auto middle = static_cast<int64_t>(lowest + ((uint64_t{1} << shift) - 1) / 2);
    return std::clamp(middle, min_ns_, max_ns_);
  }
  uint64_t& place(uint32_t bucket);

  std::vector<Few> few_;       // sorted; empty once `all_` is in use
  std::vector<uint64_t> all_;  // from `first_` on
  uint32_t first_ = 0;
  uint64_t count_ = 0;
  int64_t sum_ns_ = 0;
  int64_t min_ns_ = INT64_MAX;
  int64_t max_ns_ = 0;
};

}  // namespace perseid
