// tests/unit/timeline/report/example_report.h: reports with known numbers.
#pragma once

#include "timeline/analysis/report_data.h"

namespace perseid::test {

inline constexpr int64_t kSecond = 1'000'000'000;

/// 3 CPU and 1 CUDA worker, 10 s: everything that a text can show.
inline ReportData example_report() {
  ReportData data;
  data.program = "lu_mpi";
  data.job = "48213";
  data.host = "gpu07";
  data.policy = "dmdas";
  data.tasks = 1'254'310;
  data.begin_ns = kSecond;
  data.end_ns = 11 * kSecond;
  data.time_ns = 10 * kSecond;
  data.before_ns = kSecond;
  data.after_ns = kSecond / 2;
  for (uint32_t id = 1; id <= 4; ++id) {
    WorkerTime worker;
    worker.id = id;
    worker.kind = id == 4 ? WorkerKind::kCuda : WorkerKind::kCpu;
    worker.name = id == 4 ? "CUDA 0" : "CPU " + std::to_string(id - 1);
    worker.labels[Label::kWork] = 6 * kSecond;
    worker.labels[Label::kData] = id == 4 ? 3 * kSecond : 0;
    worker.labels[Label::kDependencies] = id == 4 ? 0 : 2 * kSecond;
    worker.labels[Label::kScheduler] = kSecond / 3;
    worker.labels[Label::kTail] = data.time_ns - worker.labels.total();
    data.workers.push_back(worker);
  }
  data.chain.ns[static_cast<size_t>(ChainLabel::kWork)] = 4 * kSecond;
  data.chain.ns[static_cast<size_t>(ChainLabel::kBusy)] = 5 * kSecond + 1;
  data.chain.ns[static_cast<size_t>(ChainLabel::kData)] = kSecond - 1;
  data.chain.work = {{"gemm", 6 * kSecond, 900}, {"potrf", 3 * kSecond, 100}};
  data.bounds = {7 * kSecond, 5 * kSecond, kSecond, 7 * kSecond, {{"potrf", 5 * kSecond, 10}}};
  for (const char* name : {"gemm", "trsm", "potrf"}) {
    KindStatistics kind;
    kind.kind = name;
    kind.tasks = 400;
    kind.total_ns = 8 * kSecond;
    kind.on_chain_ns = 3 * kSecond;
    kind.wait_dependencies_ns = kSecond;
    kind.wait_queue_ns = 2 * kSecond;
    kind.model_error_permille = 120;
    kind.on[0] = {300, 6 * kSecond, 1'390'000, 1'900'000, 9'000'000, 3, 20'000'000};
    kind.on[1] = {100, 2 * kSecond, 62'000, 70'000, 90'000, 0, 0};
    data.kinds.push_back(kind);
  }
  PhaseTime phase;
  phase.name = "solve";
  phase.time_ns = 4 * kSecond;
  phase.workers = {3, 1};
  phase.labels[0][Label::kWork] = 12 * kSecond;
  phase.labels[1][Label::kData] = 4 * kSecond;
  data.phases.push_back(phase);
  data.doubts.push_back({"clocks", "clocks known to 30 us only"});
  return data;
}

}  // namespace perseid::test
