// tools/perseid/stragglers.cpp: polls the captures of the registry, with a timeout.
#include "tools/perseid/stragglers.h"

#include <unistd.h>

#include <algorithm>
#include <string>
#include <thread>
#include <vector>

#include "capture/recorder_life.h"
#include "tools/perseid/message.h"

namespace perseid {
namespace {

using std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;

/// Between two looks: soon at first, and later of thousands of captures not too often.
constexpr milliseconds kFirstPause{10};
constexpr milliseconds kMaxPause{300};
constexpr milliseconds kSilence{700};  // shorter waits need no word

std::vector<std::string> recording(RegistryOwner& registry) {
  std::vector<std::string> captures;
  for (const auto& [capture, is_done] : registry.look()) {
    // Of one that was removed or renamed nothing can be seen any more.
    if (is_done || access(capture.c_str(), F_OK) != 0) continue;
    if (may_be_recorded(recorder_life(capture))) captures.push_back(capture);
  }
  return captures;
}

}  // namespace

void wait_for_stragglers(RegistryOwner& registry, milliseconds timeout, bool is_quiet) {
  const Clock::time_point begin = Clock::now();
  bool has_printed = is_quiet;
  milliseconds pause = kFirstPause;
  for (;;) {
    const std::vector<std::string> captures = recording(registry);
    const auto waited = std::chrono::duration_cast<milliseconds>(Clock::now() - begin);
    if (captures.empty() || waited >= timeout) return;
    if (waited >= kSilence && !has_printed) {
      has_printed = true;
      print_message("waiting up to {} s for processes that still record: {}{}",
                    timeout.count() / 1000, captures.front(),
                    captures.size() > 1 ? fmt::format(" and {} more", captures.size() - 1) : "");
    }
    std::this_thread::sleep_for(std::min(pause, timeout - waited));
    pause = std::min(2 * pause, kMaxPause);
  }
}

}  // namespace perseid
