// timeline/analysis/windows.cpp: overlaps of ranges.
#include "timeline/analysis/windows.h"

#include <algorithm>
#include <string>
#include <utility>

namespace perseid {
namespace {

/// Sorted, and without overlaps.
std::vector<TimeRange> tidy(std::vector<TimeRange> ranges) {
  std::erase_if(ranges, [](const TimeRange& range) { return range.from_ns >= range.to_ns; });
  std::ranges::sort(ranges, {}, &TimeRange::from_ns);
  std::vector<TimeRange> joined;
  for (const TimeRange& range : ranges) {
    if (!joined.empty() && range.from_ns <= joined.back().to_ns) {
      joined.back().to_ns = std::max(joined.back().to_ns, range.to_ns);
    } else {
      joined.push_back(range);
    }
  }
  return joined;
}

int64_t overlap(const std::vector<TimeRange>& ranges, int64_t from_ns, int64_t to_ns) {
  int64_t ns = 0;
  // Queries are about the latest time.
  for (auto range = ranges.rbegin(); range != ranges.rend() && range->to_ns > from_ns; ++range) {
    ns += std::max<int64_t>(0, std::min(to_ns, range->to_ns) - std::max(from_ns, range->from_ns));
  }
  return ns;
}

}  // namespace

bool is_warm_up(std::string_view phase) noexcept {
  size_t at = 0;
  for (const char wanted : std::string_view("warmup")) {
    if (at == 4 && at < phase.size() && (phase[at] == '-' || phase[at] == ' ')) {
      phase.remove_prefix(1);
    }
    if (at >= phase.size()) return false;
    const char c = phase[at++];
    if ((c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c) != wanted) return false;
  }
  return at == phase.size();
}

Windows::Windows(std::vector<TimeRange> wanted) : wanted_(tidy(std::move(wanted))) {}

void Windows::begin_warm_up(int64_t at_ns) {
  if (!has_wanted() && (left_out_.empty() || left_out_.back().to_ns != kNotYet)) {
    left_out_.push_back({at_ns, kNotYet});
  }
}

void Windows::end_warm_up(int64_t at_ns) {
  if (!left_out_.empty() && left_out_.back().to_ns == kNotYet) left_out_.back().to_ns = at_ns;
}

int64_t Windows::warm_up_ns(int64_t at_ns) const noexcept {
  return overlap(left_out_, INT64_MIN, at_ns);
}

int64_t Windows::counted(int64_t from_ns, int64_t to_ns) const noexcept {
  if (from_ns >= to_ns) return 0;
  return has_wanted() ? overlap(wanted_, from_ns, to_ns)
                      : to_ns - from_ns - overlap(left_out_, from_ns, to_ns);
}

}  // namespace perseid
