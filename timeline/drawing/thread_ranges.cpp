// timeline/drawing/thread_ranges.cpp: the stack of ranges, and what an end shows of a hole.
#include "timeline/drawing/thread_ranges.h"

#include <algorithm>

namespace perseid {
namespace {

/// No program nests so much deeper from one record to the next; a damaged one may claim it.
constexpr size_t kMaxPlaceholders = 1024;

}  // namespace

Lane::Handle ThreadRanges::begin(int64_t at_ns, std::string_view name, const Category& category) {
  budget_->add_record();
  open_.push_back(lane_->open(at_ns, name, category));
  return open_.back();
}

Lane::Handle ThreadRanges::find_ending(int64_t at_ns, size_t around) {
  budget_->add_record();
  if (!has_hole_ && open_.size() != around + 1) {
    // Never in a sound stream. The hole is wherever nobody saw it.
    before_hole_ = open_.size();
    hole_ns_ = at_ns;
    reason_ = kLostHole;
  }
  if (open_.size() > around + 1) {
    const size_t ended = std::min(open_.size() - around - 1, before_hole_);
    const auto end = open_.begin() + static_cast<std::ptrdiff_t>(before_hole_);
    const auto begin = end - static_cast<std::ptrdiff_t>(ended);
    for (auto at = end; at != begin;) close_with_reason(*--at, hole_ns_);
    open_.erase(begin, end);
    before_hole_ -= ended;
  }
  for (size_t left = missing(around + 1); left > 0; --left) {
    const auto at = open_.begin() + static_cast<std::ptrdiff_t>(before_hole_);
    const Lane::Handle made =
        at == open_.end() ? lane_->open(hole_ns_, reason_.placeholder, kOwnCategory)
                          : lane_->open_around(*at, hole_ns_, reason_.placeholder, kOwnCategory);
    open_.insert(at, made);
    ++before_hole_;
  }
  has_hole_ = false;
  return open_.back();
}

/// Ranges to make up so that `depth` are open. At least one is, for the end that asks.
size_t ThreadRanges::missing(size_t depth) noexcept {
  if (open_.size() >= depth) return 0;
  const size_t wanted = std::min(depth - open_.size(), kMaxPlaceholders);
  return std::max<size_t>(budget_->take(wanted), open_.empty() ? 1 : 0);
}

void ThreadRanges::close_innermost(int64_t at_ns) {
  lane_->close(open_.back(), at_ns);
  open_.pop_back();
}

void ThreadRanges::note_hole(int64_t at_ns, const HoleReason& reason) {
  if (has_hole_ && before_hole_ == open_.size()) return;  // one hole after another is one
  has_hole_ = true;
  before_hole_ = open_.size();
  hole_ns_ = lane_->set_floor(at_ns);
  reason_ = reason;
}

void ThreadRanges::repair(int64_t first_ns, int64_t at_ns, size_t fewest, size_t depth,
                          const HoleReason& reason) {
  reason_ = reason;
  for (; open_.size() > fewest; open_.pop_back()) {
    close_with_reason(open_.back(), std::min(first_ns, at_ns));
  }
  for (size_t left = missing(depth); left > 0; --left) {
    open_.push_back(lane_->open(at_ns, reason_.placeholder, kOwnCategory));
  }
  has_hole_ = false;
}

void ThreadRanges::finish(int64_t at_ns) {
  const size_t uncertain = has_hole_ ? before_hole_ : 0;
  while (!open_.empty()) {
    if (open_.size() <= uncertain) {
      close_with_reason(open_.back(), at_ns);
      open_.pop_back();
    } else {
      (*lane_)[open_.back()].arguments.add({"unfinished", true});
      close_innermost(at_ns);
    }
  }
}

void ThreadRanges::close_with_reason(Lane::Handle range, int64_t at_ns) {
  (*lane_)[range].arguments.add({"end", reason_.end});
  lane_->close(range, at_ns);
}

}  // namespace perseid
