// bench/statistics.h: what is left of many noisy samples.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace perseid::bench {

/// The value below which `share` (0 to 1) of the samples lie. 0 if there are none.
inline double quantile(std::vector<double> samples, double share) {
  if (samples.empty()) return 0;
  const auto last = static_cast<double>(samples.size() - 1);
  const auto at = samples.begin() + static_cast<std::ptrdiff_t>(share * last + 0.5);
  std::nth_element(samples.begin(), at, samples.end());
  return *at;
}

inline double median(std::vector<double> samples) { return quantile(std::move(samples), 0.5); }

}  // namespace perseid::bench
