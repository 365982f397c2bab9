// bench/export_cost.h: what one export costs, measured in a process of its own.
#pragma once

#include <cstddef>
#include <string>

namespace perseid::bench {

struct ExportCost {
  double records = 0, slices = 0, bytes = 0, user_s = 0, system_s = 0, peak_mib = 0;

  double cpu_s() const { return user_s + system_s; }
};

/// What the child does: exports and prints its cost. Throws std::runtime_error if it fails.
int export_here(const std::string& capture, const std::string& out);

/// Medians over `runs` children that export `capture` to DIRECTORY/N.FORMAT. The program's main()
/// calls export_here() for `--export CAPTURE OUT`. The last file stays, as `kept`, if it is given.
ExportCost median_cost(const std::string& capture, const std::string& directory,
                       const std::string& format, size_t runs, std::string* kept = nullptr);

}  // namespace perseid::bench
