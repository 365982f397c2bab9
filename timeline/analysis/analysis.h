// timeline/analysis/analysis.h: all analyses of a run as one sink; their results become one report.
//
//   batches -> Analysis -> WorkerTimes, ChainAnalysis, Statistics -> ReportData
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "timeline/analysis/chain.h"
#include "timeline/analysis/report_data.h"
#include "timeline/analysis/statistics.h"
#include "timeline/analysis/windows.h"
#include "timeline/analysis/worker_times.h"
#include "timeline/model/batch.h"
#include "timeline/model/run_facts.h"

namespace perseid {

struct AnalysisOptions {
  std::vector<TimeWindow> windows = {};   // empty: all but warm-up phases
  std::vector<std::string> workers = {};  // names or patterns of shells; empty: all
  std::vector<std::string> kinds = {};    // of tasks, the same
  std::string scope = {};                 // in words, what these narrow it to; "": nothing
  size_t chain_segments = 0;              // the newest of the chain, for those who draw them
};

class Analysis final : public ModelSink {
 public:
  explicit Analysis(AnalysisOptions options);

  void take(const BatchRef& batch) override;
  void finish(const NameIds& names) override;

  /// After finish(). `facts`: of the run; `begin_ns`: when recording began.
  ReportData result(const RunFacts& facts, int64_t begin_ns) const;

 private:
  bool is_narrowed() const { return !options_.windows.empty(); }
  void add_workers(ReportData& data, uint32_t rank) const;
  void add_phases(ReportData& data) const;
  void add_whole_run(ReportData& data) const;
  void add_doubts(ReportData& data, const RunFacts& facts) const;

  AnalysisOptions options_;
  WorkerTimes times_;
  ChainAnalysis chain_;
  Statistics statistics_;
  const NameIds* names_ = nullptr;
  std::vector<std::string> worker_names_;  // as times_ has them
  std::vector<std::string> phase_names_;
  int64_t end_ns_ = 0;  // of all that was recorded
};

}  // namespace perseid
