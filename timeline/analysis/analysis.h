// timeline/analysis/analysis.h: all analyses of a run as one sink; their results become one report.
//
//   batches -> Analysis -> labels, chain, bounds, statistics (sinks of their own) -> ReportData
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "timeline/analysis/report_data.h"
#include "timeline/analysis/windows.h"
#include "timeline/model/batch.h"
#include "timeline/model/run_facts.h"

namespace perseid {

struct AnalysisOptions {
  std::vector<TimeRange> windows = {};    // empty: all but warm-up phases
  std::vector<std::string> workers = {};  // names or patterns of shells; empty: all
  std::vector<std::string> kinds = {};    // of tasks, the same
  std::string scope = {};                 // in words, what these narrow it to; "": nothing
};

class Analysis final : public ModelSink {
 public:
  explicit Analysis(AnalysisOptions options);

  void take(const BatchRef& batch) override;
  void finish(const NameIds& names) override;

  /// After finish(). `facts`: of the run; `begin_ns`: when recording began.
  ReportData result(const RunFacts& facts, int64_t begin_ns) const;

  // For the sweep.
  void on(const StepRow& step);
  void on(const StretchRow& stretch);
  void on(const WaitRow& wait);
  void on(const RegionRow& region);

 private:
  struct Worker {
    WorkerRow row;
    std::string name;
    WorkerState state = WorkerState::kIdle;
    int64_t since_ns = 0;  // of its state
    int64_t work_ns = 0;
  };
  using WorkByKind = std::array<int64_t, kWorkerKinds>;
  struct Phase {
    PhaseTime time;
    int64_t begin_ns = kNotYet;  // kNotYet: it is not open
    WorkByKind before{};
  };

  Worker& worker(WorkerId id);
  void open_window(int64_t at_ns);
  WorkByKind work_until(int64_t at_ns) const;
  void begin_phase(const std::string& name, int64_t at_ns);
  void end_phase(const std::string& name, int64_t at_ns);
  bool is_wanted(const Worker& worker) const;
  void add_doubts(ReportData& data, const RunFacts& facts) const;

  AnalysisOptions options_;
  Windows windows_;
  const NameIds* names_ = nullptr;
  std::vector<Worker> workers_;  // by id - 1
  std::vector<Phase> phases_;
  std::optional<int64_t> first_ns_;  // of the window
  int64_t last_ns_ = 0;
  int64_t end_ns_ = 0;  // of all that was recorded
  uint64_t tasks_ = 0;
};

}  // namespace perseid
