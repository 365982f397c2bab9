// plugin/settings/nearest_word.cpp: edit distance with a fixed table.
#include "plugin/settings/nearest_word.h"

#include <algorithm>

namespace perseid {

size_t edit_distance(std::string_view a, std::string_view b) noexcept {
  constexpr size_t kMaxLength = 31;
  if (a.size() > kMaxLength || b.size() > kMaxLength) return static_cast<size_t>(-2);

  // distance[i][j]: from the first i letters of a to the first j letters of b.
  size_t distance[kMaxLength + 1][kMaxLength + 1];
  for (size_t i = 0; i <= a.size(); ++i) distance[i][0] = i;
  for (size_t j = 0; j <= b.size(); ++j) distance[0][j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t replaced = distance[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      const size_t one_more = std::min(distance[i - 1][j], distance[i][j - 1]) + 1;
      distance[i][j] = std::min(replaced, one_more);
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        distance[i][j] = std::min(distance[i][j], distance[i - 2][j - 2] + 1);
      }
    }
  }
  return distance[a.size()][b.size()];
}

}  // namespace perseid
