// timeline/analysis/histogram.cpp: a sorted list of few buckets, which becomes a table.
#include "timeline/analysis/histogram.h"

#include <cmath>

namespace perseid {

void Histogram::add(const Histogram& other) {
  for (const Few& few : other.few_) place(few.bucket) += few.count;
  for (size_t i = 0; i < other.all_.size(); ++i) {
    if (other.all_[i] != 0) place(other.first_ + static_cast<uint32_t>(i)) += other.all_[i];
  }
  count_ += other.count_;
  sum_ns_ += other.sum_ns_;
  min_ns_ = std::min(min_ns_, other.min_ns_);
  max_ns_ = std::max(max_ns_, other.max_ns_);
}

void Histogram::remove(const Histogram& other) {
  for (const Few& few : other.few_) place(few.bucket) -= few.count;
  for (size_t i = 0; i < other.all_.size(); ++i) {
    if (other.all_[i] != 0) place(other.first_ + static_cast<uint32_t>(i)) -= other.all_[i];
  }
  std::erase_if(few_, [](const Few& few) { return few.count == 0; });
  count_ -= other.count_;
  sum_ns_ -= other.sum_ns_;
}

int64_t Histogram::quantile_ns(double share) const {
  if (count_ == 0) return 0;
  const double wanted = std::ceil(share * static_cast<double>(count_));
  const uint64_t rank = std::clamp<uint64_t>(static_cast<uint64_t>(wanted), 1, count_);
  uint64_t seen = 0;
  for (const Few& few : few_) {
    seen += few.count;
    if (seen >= rank) return value_of(few.bucket);
  }
  for (size_t i = 0; i < all_.size(); ++i) {
    seen += all_[i];
    if (seen >= rank) return value_of(first_ + static_cast<uint32_t>(i));
  }
  return max_ns_;
}

/// Made, if it is new.
uint64_t& Histogram::place(uint32_t bucket) {
  if (all_.empty()) {
    const auto at = std::ranges::lower_bound(few_, bucket, {}, &Few::bucket);
    if (at != few_.end() && at->bucket == bucket) return at->count;
    if (few_.size() < kMaxFew) return few_.insert(at, Few{bucket, 0})->count;
    first_ = few_.front().bucket / kPerOctave * kPerOctave;
    all_.resize(few_.back().bucket - first_ + 1);
    for (const Few& few : few_) all_[few.bucket - first_] = few.count;
    few_ = {};
  }
  // Whole octaves: a table grows a few times, not with each new value.
  if (bucket < first_) {
    const uint32_t first = bucket / kPerOctave * kPerOctave;
    all_.insert(all_.begin(), first_ - first, 0);
    first_ = first;
  }
  if (bucket - first_ >= all_.size()) {
    all_.resize((bucket / kPerOctave + 1) * kPerOctave - first_);
  }
  return all_[bucket - first_];
}

}  // namespace perseid
