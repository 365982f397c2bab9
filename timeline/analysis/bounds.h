// timeline/analysis/bounds.h: how fast these tasks could be at best, with these speeds.
//
// Area bound: tasks are divided among the kinds of workers in the best way, and each kind shares
// its part equally,
//
//   minimise T  with  sum over a of n[k][a] = N[k]                for each class k of tasks
//                     sum over k of n[k][a] t[k][a] <= R[a] T     for each kind a of R[a] workers
//
// where t is the mean time that was measured. A class that never ran on a kind of workers is not
// moved there. What did happen fulfils all of these, so that the bound is never above the run.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "timeline/analysis/report_data.h"
#include "timeline/analysis/statistics.h"

namespace perseid {

template <class Value>
using ByWorkerKind = std::array<Value, kWorkerKinds>;

/// Executions that a scheduler could exchange.
struct AreaClass {
  ByWorkerKind<uint64_t> tasks{};
  ByWorkerKind<int64_t> total_ns{};
};

struct AreaBound {
  int64_t ns = 0;
  /// Of each class, where the tasks would run.
  std::vector<ByWorkerKind<double>> tasks;
};

/// `busy_ns`: of all workers of a kind. Where it is less than its executions add up to, they
/// overlap (a device's pipeline) and count for as much less; 0: not known.
AreaBound area_bound(std::span<const AreaClass> classes, const ByWorkerKind<uint32_t>& workers,
                     const ByWorkerKind<int64_t>& busy_ns);

/// Fills in the area and the submission bound and the best of all three, and in `kinds`, where the
/// area bound's tasks would run.
void add_bounds(const Statistics& statistics, Bounds& bounds, std::vector<KindStatistics>& kinds);

}  // namespace perseid
