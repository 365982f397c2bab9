// tools/perseid/progress.cpp: one line that redraws itself.
#include "tools/perseid/progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>

namespace perseid {

struct Progress::State {
  using Clock = std::chrono::steady_clock;
  Clock::time_point start = Clock::now();
  int shown = -1;

  void show(double share) {
    if (Clock::now() - start < std::chrono::seconds(1)) return;
    const int percent = static_cast<int>(share * 100);
    if (percent == shown) return;
    shown = percent;
    fmt::print(stderr, "\rperseid: writing the timeline, {} %", percent);
    std::fflush(stderr);
  }

  void wipe() const noexcept {
    if (shown >= 0) std::fputs("\r\x1b[K", stderr);
  }
};

Progress::Progress() {
  if (isatty(STDERR_FILENO)) state_ = std::make_unique<State>();
}

Progress::~Progress() {
  if (state_) state_->wipe();
}

std::function<void(double)> Progress::callback() const {
  if (!state_) return {};
  return [state = state_.get()](double share) { state->show(share); };
}

}  // namespace perseid
