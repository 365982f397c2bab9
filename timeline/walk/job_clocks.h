// timeline/walk/job_clocks.h: brings the clocks of all captures of a job together.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "capture/clock_line.h"
#include "capture/manifest.h"
#include "capture/session_state.h"

namespace perseid {

/// What is known of a capture before its records are read.
struct CaptureHead {
  std::string path;
  Manifest manifest;
  RecordedState state;
};

/// Reads manifest and state. No damage is reported here: whoever opens the capture does.
CaptureHead read_head(const std::string& path);

/// Processes of one machine share one clock, so each machine needs one line: the best that any
/// of its processes measured. The common clock counts from the begin of the first capture: that of
/// a machine which has been up for weeks leaves readers of JSON no room for nanoseconds.
class JobClocks {
 public:
  explicit JobClocks(const std::vector<CaptureHead>& heads);

  const ClockLine& line_of(const CaptureHead& head) const;
  size_t machines() const noexcept { return lines_.size(); }

 private:
  void compare(const std::vector<CaptureHead>& heads);
  static std::string machine_of(const CaptureHead& head);
  std::map<std::string, ClockLine> lines_;
};

}  // namespace perseid
