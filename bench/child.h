// bench/child.h: a figure that needs a process of its own: other settings, or its peak memory.
//
// A child prints rows of cells separated by tabs; the parent collects and tabulates them.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "bench/harness.h"

namespace perseid::bench {

using Rows = std::vector<std::vector<std::string>>;

/// Runs `program` with PERSEID set to `setting` ("": unset) and waits for it. Throws
/// std::runtime_error if it cannot be run or fails.
Rows run_child(const std::string& program, const std::vector<std::string>& arguments,
               const std::string& setting);

/// The file of the running program, for children that are it again.
std::string own_program();

/// Rows of measurements on their way through a pipe.
void print_rows(const std::vector<Measurement>& measurements);

/// Medians over several children that measured the same cases, in order of first appearance.
class Collected {
 public:
  void add(const Rows& rows);
  std::vector<Measurement> medians() const;

 private:
  struct Samples {
    std::vector<double> ns, ratios;
  };
  std::vector<std::string> order_;
  std::map<std::string, Samples> samples_;
};

}  // namespace perseid::bench
