// bench/export_cost.cpp: exports in a child and reads its CPU time and peak memory.
#include "bench/export_cost.h"

#include <fmt/format.h>

#include <filesystem>
#include <stdexcept>
#include <vector>

#include "bench/child.h"
#include "bench/own_cost.h"
#include "bench/statistics.h"
#include "timeline/export/export.h"

namespace perseid::bench {

int export_here(const std::string& capture, const std::string& out) {
  ExportOptions options;
  options.out = out;
  const Result<ExportReport> report = export_capture(capture, options);
  if (!report) throw std::runtime_error(report.error());
  if (report->losses.total() > 0 || report->damages > 0)
    throw std::runtime_error(describe(*report));
  const OwnCost cost = own_cost();
  fmt::print("{}\t{}\t{}\t{}\t{}\t{}\n", report->records, report->slices, report->file_bytes,
             cost.user_s, cost.system_s, cost.peak_mib);
  return 0;
}

ExportCost median_cost(const std::string& capture, const std::string& directory,
                       const std::string& format, size_t runs, std::string* kept) {
  std::vector<std::vector<double>> cells(6);
  for (size_t run = 0; run < runs; ++run) {
    const std::string out = fmt::format("{}/{}.{}", directory, run, format);
    const Rows rows = run_child(own_program(), {"--export", capture, out}, "");
    for (size_t i = 0; i < cells.size(); ++i) cells[i].push_back(std::stod(rows.at(0).at(i)));
    if (kept != nullptr && run + 1 == runs) {
      *kept = out;
    } else {
      std::filesystem::remove(out);
    }
  }
  return {median(cells[0]), median(cells[1]), median(cells[2]),
          median(cells[3]), median(cells[4]), median(cells[5])};
}

}  // namespace perseid::bench
