// bench/own_cost.cpp: getrusage, and VmHWM of /proc/self/status.
#include "bench/own_cost.h"

#include <sys/resource.h>

#include <fstream>
#include <stdexcept>
#include <string>

namespace perseid::bench {
namespace {

double seconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
}

/// "VmHWM:   1234 kB".
double peak_mib() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with("VmHWM:")) return std::stod(line.substr(6)) / 1024;
  throw std::runtime_error("/proc/self/status has no VmHWM");
}

}  // namespace

OwnCost own_cost() {
  rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  return {seconds(usage.ru_utime), seconds(usage.ru_stime), peak_mib()};
}

}  // namespace perseid::bench
