// timeline/analysis/windows.cpp: order of windows, and names of phases that do not count.
#include "timeline/analysis/windows.h"

#include <algorithm>
#include <string>

namespace perseid {

std::vector<TimeWindow> tidy(std::vector<TimeWindow> windows) {
  std::erase_if(windows, [](const TimeWindow& window) { return window.begin_ns >= window.end_ns; });
  std::ranges::sort(windows, {}, &TimeWindow::begin_ns);
  std::vector<TimeWindow> joined;
  for (const TimeWindow& window : windows) {
    if (!joined.empty() && window.begin_ns <= joined.back().end_ns) {
      joined.back().end_ns = std::max(joined.back().end_ns, window.end_ns);
    } else {
      joined.push_back(window);
    }
  }
  return joined;
}

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

}  // namespace perseid
