// timeline/model/topology.h: which core and NUMA node a CPU belongs to.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>

namespace perseid {

/// Read from the capture's `topology` text, one line per CPU after a header line:
///
///   perseid-topology 1 sysfs
///   pu 3 core 3 numa 0 package 0
class Topology {
 public:
  Topology() = default;
  /// Lines it does not understand are passed over and counted.
  explicit Topology(std::string_view text);

  /// " · core 3 · NUMA 0", or "" for a CPU it does not know.
  std::string place_of(int32_t cpu) const;
  size_t bad_lines() const noexcept { return bad_lines_; }

 private:
  struct Place {
    int32_t core;
    int32_t numa;
  };
  std::unordered_map<int32_t, Place> places_;
  size_t bad_lines_ = 0;
};

}  // namespace perseid
