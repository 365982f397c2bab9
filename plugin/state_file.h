// plugin/state_file.h: the mapped page of counters and clock anchors that survives any end.
#pragma once

#include "capture/format.h"
#include "plugin/own_directory.h"

namespace perseid {

class StateFile {
 public:
  /// False and errno if the file cannot be made.
  bool open(OwnDirectory& directory, uint64_t session, uint32_t pid) noexcept;

  void close() noexcept;

  StateHeader& counters() noexcept { return *header_; }

  void add(const ClockAnchor& anchor) noexcept;

  /// Takes an anchor if the last one is old enough, or always with `is_forced`. When the table
  /// is full every other anchor goes and the interval doubles: any run fits. One caller at a
  /// time: the starting thread, then the drainer.
  void anchor(bool is_forced) noexcept;

 private:
  StateHeader* header_ = nullptr;
  ClockAnchor* anchors_ = nullptr;
  int64_t interval_ns_ = 100'000'000;
  int64_t last_ns_ = 0;
};

}  // namespace perseid
