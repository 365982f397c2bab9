// timeline/analysis/bounds.cpp: bounds that rounding cannot put above the run.
#include "timeline/analysis/bounds.h"

#include <algorithm>
#include <climits>
#include <cmath>
#include <limits>
#include <map>
#include <unordered_map>
#include <utility>

#include "timeline/analysis/simplex.h"

namespace perseid {
namespace {

constexpr size_t kThreads = static_cast<size_t>(WorkerKind::kOpenmpThread);
/// The linear program has a row for each class that has a choice. Beyond the largest ones, those
/// that gain about as much by each choice share a row; beyond twice as many, all do.
constexpr size_t kMaxRows = 200;

/// Work in nanoseconds that is spread over workers.
class Area {
 public:
  Area(std::span<const AreaClass> classes, const ByWorkerKind<uint32_t>& workers,
       const ByWorkerKind<int64_t>& busy_ns);
  AreaBound solve();

 private:
  /// Of one class, or several with the same choice, if all ran there.
  struct Row {
    ByWorkerKind<double> work_ns{};
    uint32_t choice = 0;
    std::vector<size_t> classes;
  };

  bool has_choice(size_t k) const { return (choices_[k] & (choices_[k] - 1)) != 0; }
  /// All tasks of the class on this kind of workers.
  double work_ns(size_t k, size_t on) const {
    const AreaClass& of = classes_[k];
    const auto mean = static_cast<double>(of.total_ns[on]) / static_cast<double>(of.tasks[on]);
    return mean * scales_[on] * static_cast<double>(counts_[k]);
  }
  /// Of each choice, in half octaves against the first; INT_MIN: it is none.
  ByWorkerKind<int> gains(size_t k, bool is_fine) const;
  std::vector<Row> make_rows() const;
  void solve_rows(const std::vector<Row>& rows);
  double value_of(const ByWorkerKind<double>& prices) const;

  std::span<const AreaClass> classes_;
  const ByWorkerKind<uint32_t>* workers_;
  ByWorkerKind<double> scales_;      // of times, where executions overlap
  ByWorkerKind<double> fixed_ns_{};  // work of classes that have no choice
  int64_t happened_ns_ = 0;          // the bound, if nothing may be moved
  std::vector<uint32_t> choices_;    // bits of WorkerKinds
  std::vector<uint64_t> counts_;
  AreaBound bound_;
};

Area::Area(std::span<const AreaClass> classes, const ByWorkerKind<uint32_t>& workers,
           const ByWorkerKind<int64_t>& busy_ns)
    : classes_(classes), workers_(&workers) {
  ByWorkerKind<int64_t> load_ns{};
  for (const AreaClass& of : classes_) {
    uint32_t choice = 0;
    uint64_t count = 0;
    for (size_t on = 0; on < kWorkerKinds; ++on) {
      load_ns[on] += of.total_ns[on];
      count += of.tasks[on];
      if (of.tasks[on] > 0 && workers[on] > 0) choice |= 1u << on;
    }
    choices_.push_back(choice);
    counts_.push_back(count);
    ByWorkerKind<double>& tasks = bound_.tasks.emplace_back();
    for (size_t on = 0; on < kWorkerKinds; ++on) tasks[on] = static_cast<double>(of.tasks[on]);
  }
  for (size_t on = 0; on < kWorkerKinds; ++on) {
    const bool overlap = busy_ns[on] > 0 && busy_ns[on] < load_ns[on];
    scales_[on] = overlap ? static_cast<double>(busy_ns[on]) / static_cast<double>(load_ns[on]) : 1;
    if (workers[on] == 0) continue;
    const int64_t work_ns = overlap ? busy_ns[on] : load_ns[on];
    happened_ns_ = std::max(happened_ns_, work_ns / int64_t{workers[on]});
  }
  for (size_t k = 0; k < classes_.size(); ++k) {
    if (has_choice(k)) continue;
    for (size_t on = 0; on < kWorkerKinds; ++on) {
      if ((choices_[k] >> on & 1) != 0) fixed_ns_[on] += work_ns(k, on);
    }
  }
}

ByWorkerKind<int> Area::gains(size_t k, bool is_fine) const {
  ByWorkerKind<int> found;
  double first_ns = 0;
  for (size_t on = 0; on < kWorkerKinds; ++on) {
    found[on] = INT_MIN;
    if ((choices_[k] >> on & 1) == 0) continue;
    const double here_ns = std::max(work_ns(k, on), 1.0);
    if (first_ns == 0) first_ns = here_ns;
    found[on] = is_fine ? static_cast<int>(std::lround(2 * std::log2(here_ns / first_ns))) : 0;
  }
  return found;
}

std::vector<Area::Row> Area::make_rows() const {
  std::vector<size_t> free;
  for (size_t k = 0; k < classes_.size(); ++k) {
    if (has_choice(k)) free.push_back(k);
  }
  const auto size_of = [&](size_t k) {
    int64_t sum = 0;
    for (const int64_t ns : classes_[k].total_ns) sum += ns;
    return sum;
  };
  std::ranges::stable_sort(free, std::greater{}, size_of);
  std::vector<Row> rows;
  std::map<ByWorkerKind<int>, size_t> joined;
  for (const size_t k : free) {
    size_t place = rows.size();
    if (place >= kMaxRows) {
      place = joined.try_emplace(gains(k, rows.size() < 2 * kMaxRows), place).first->second;
    }
    if (place >= rows.size()) rows.emplace_back();
    Row& row = rows[place];
    row.choice = choices_[k];
    row.classes.push_back(k);
    for (size_t on = 0; on < kWorkerKinds; ++on) {
      if ((row.choice >> on & 1) != 0) row.work_ns[on] += work_ns(k, on);
    }
  }
  return rows;
}

/// If an hour of each kind of workers had these prices, the cheapest way to run all tasks could
/// not be paid in less time than this. True for any prices >= 0; equal to the bound for the best.
double Area::value_of(const ByWorkerKind<double>& prices) const {
  double cost = 0, income = 0;
  for (size_t on = 0; on < kWorkerKinds; ++on) {
    cost += prices[on] * fixed_ns_[on];
    income += prices[on] * (*workers_)[on];
  }
  if (income <= 0) return 0;
  for (size_t k = 0; k < classes_.size(); ++k) {
    if (!has_choice(k)) continue;
    double cheapest = std::numeric_limits<double>::infinity();
    for (size_t on = 0; on < kWorkerKinds; ++on) {
      if ((choices_[k] >> on & 1) != 0) cheapest = std::min(cheapest, prices[on] * work_ns(k, on));
    }
    cost += cheapest;
  }
  return cost / income;
}

AreaBound Area::solve() {
  const std::vector<Row> rows = make_rows();
  bound_.ns = happened_ns_;
  if (!rows.empty()) solve_rows(rows);
  return std::move(bound_);
}

/// Variables: the share of each row on each kind of workers that it can have, then the time, in
/// units of the time that it took.
void Area::solve_rows(const std::vector<Row>& rows) {
  struct Column {
    size_t row;
    size_t on;
  };
  std::vector<Column> columns;
  for (size_t i = 0; i < rows.size(); ++i) {
    for (size_t on = 0; on < kWorkerKinds; ++on) {
      if ((rows[i].choice >> on & 1) != 0) columns.push_back({i, on});
    }
  }
  const double unit = static_cast<double>(std::max<int64_t>(happened_ns_, 1));
  LinearProgram program;
  program.costs.assign(columns.size() + 1, 0);
  program.costs.back() = 1;
  program.rows.assign(rows.size() + kWorkerKinds, {});
  for (LinearProgram::Row& row : program.rows) row.factors.assign(columns.size() + 1, 0);
  for (size_t i = 0; i < rows.size(); ++i) {
    program.rows[i].relation = LinearProgram::Relation::kEqual;
    program.rows[i].limit = 1;
  }
  for (size_t on = 0; on < kWorkerKinds; ++on) {
    LinearProgram::Row& row = program.rows[rows.size() + on];
    row.relation = LinearProgram::Relation::kAtMost;
    row.limit = -fixed_ns_[on] / unit;
    row.factors.back() = -static_cast<double>((*workers_)[on]);
  }
  for (size_t j = 0; j < columns.size(); ++j) {
    const auto [i, on] = columns[j];
    program.rows[i].factors[j] = 1;
    program.rows[rows.size() + on].factors[j] = rows[i].work_ns[on] / unit;
  }
  const LinearSolution solution = perseid::solve(program);
  if (solution.outcome != LinearSolution::Outcome::kOptimal) {
    bound_.ns = 0;  // not known
    return;
  }
  ByWorkerKind<double> prices{};
  for (size_t on = 0; on < kWorkerKinds; ++on) {
    prices[on] = std::max(0.0, -solution.prices[rows.size() + on]);
  }
  constexpr double kRounding = 1 - 1e-12;
  bound_.ns = std::min(happened_ns_, static_cast<int64_t>(value_of(prices) * kRounding));
  for (const Row& row : rows) {
    for (const size_t k : row.classes) bound_.tasks[k] = {};
  }
  for (size_t j = 0; j < columns.size(); ++j) {
    for (const size_t k : rows[columns[j].row].classes) {
      bound_.tasks[k][columns[j].on] = solution.variables[j] * static_cast<double>(counts_[k]);
    }
  }
}

/// From a class of the statistics, on one kind of workers, to the one that all kinds share.
struct ClassKey {
  uint32_t kind;
  bool is_rest;
  uint64_t footprint;
  auto operator<=>(const ClassKey&) const = default;
};

int64_t submission_bound(const Statistics& statistics) {
  std::map<ClassKey, std::pair<int64_t, int64_t>> classes;  // latest submission, shortest time
  for (const TaskClass& of : statistics.classes()) {
    const auto [at, is_new] =
        classes.try_emplace({of.kind, of.is_rest, of.footprint}, 0, INT64_MAX);
    at->second.first = std::max(at->second.first, of.latest_submit_ns);
    at->second.second = std::min(at->second.second, of.durations.min_ns());
  }
  int64_t bound_ns = 0;
  for (const auto& [key, of] : classes) {
    bound_ns = std::max(bound_ns, of.first + of.second);
  }
  return std::min(bound_ns, statistics.time_ns());
}

}  // namespace

AreaBound area_bound(std::span<const AreaClass> classes, const ByWorkerKind<uint32_t>& workers,
                     const ByWorkerKind<int64_t>& busy_ns) {
  return Area(classes, workers, busy_ns).solve();
}

void add_bounds(const Statistics& statistics, Bounds& bounds, std::vector<KindStatistics>& kinds) {
  ByWorkerKind<uint32_t> workers{};
  ByWorkerKind<int64_t> busy_ns{};
  for (size_t on = 0; on < kWorkerKinds; ++on) {
    const WorkerTotals& totals = statistics.workers(static_cast<WorkerKind>(on));
    workers[on] = totals.workers;
    busy_ns[on] = totals.busy_ns;
  }
  std::map<ClassKey, size_t> places;
  std::vector<AreaClass> classes;
  std::vector<uint32_t> kind_of_class;
  int64_t in_tasks_ns = 0;
  for (const TaskClass& of : statistics.classes()) {
    const auto [at, is_new] =
        places.try_emplace({of.kind, of.is_rest, of.footprint}, classes.size());
    if (is_new) {
      classes.emplace_back();
      kind_of_class.push_back(of.kind);
    }
    const auto on = static_cast<size_t>(of.on);
    classes[at->second].tasks[on] += of.durations.count();
    classes[at->second].total_ns[on] += of.durations.sum_ns();
    if (on == kThreads) in_tasks_ns += of.durations.sum_ns();
  }
  // What threads do outside of explicit tasks has to be done as well.
  if (busy_ns[kThreads] > in_tasks_ns) {
    AreaClass& implicit = classes.emplace_back();
    implicit.tasks[kThreads] = 1;
    implicit.total_ns[kThreads] = busy_ns[kThreads] - in_tasks_ns;
  }
  const AreaBound area = area_bound(classes, workers, busy_ns);
  bounds.area_ns = area.ns;
  bounds.submission_ns = submission_bound(statistics);
  bounds.best_ns = std::max({bounds.area_ns, bounds.chain_ns, bounds.submission_ns});
  if (area.ns == 0) return;

  std::unordered_map<std::string, KindStatistics*> by_name;
  for (KindStatistics& kind : kinds) by_name[kind.kind] = &kind;
  std::map<KindStatistics*, ByWorkerKind<double>> sums;
  for (size_t k = 0; k < kind_of_class.size(); ++k) {
    const auto at = by_name.find(statistics.kind_name(kind_of_class[k]));
    if (at == by_name.end()) continue;
    ByWorkerKind<double>& sum = sums[at->second];
    for (size_t on = 0; on < kWorkerKinds; ++on) sum[on] += area.tasks[k][on];
  }
  for (const auto& [kind, sum] : sums) {
    for (size_t on = 0; on < kWorkerKinds; ++on) {
      kind->on[on].area_tasks = std::llround(sum[on]);
    }
  }
}

}  // namespace perseid
