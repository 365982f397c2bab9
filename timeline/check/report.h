// timeline/check/report.h: what `perseid check` finds in a capture or in a timeline file.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "capture/result.h"
#include "timeline/model/run_facts.h"

namespace perseid {

struct CheckReport {
  struct LaneCount {
    std::string name;
    uint64_t slices = 0;
    uint64_t instants = 0;
    uint64_t samples = 0;  // of a counter
  };

  std::string title;                                    // "capture NAME" or "timeline NAME"
  RunFacts facts;                                       // as the timeline carries them
  std::vector<std::pair<std::string, uint64_t>> kinds;  // records or events, by what they are
  std::vector<LaneCount> lanes;                         // as shown, from top to bottom
  uint64_t lost = 0;          // events the recording side could not keep, for any reason
  uint64_t damages = 0;       // places that cannot be read
  uint64_t file_damages = 0;  // those of a timeline's own file among them
  std::string kept;           // by a flight recorder: the rest is overwritten; "": it is none
  std::vector<std::string> damage_texts;  // the first of them

  /// Everything that was recorded is there.
  bool is_sound() const noexcept { return lost == 0 && damages == 0; }
};

/// An error means that there is nothing to be read at all.
Result<CheckReport> check_capture(const std::string& path);
Result<CheckReport> check_timeline(const std::string& path);

/// Several lines, the verdict last.
std::string format(const CheckReport& report);

}  // namespace perseid
