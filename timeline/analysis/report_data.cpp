// timeline/analysis/report_data.cpp: the reports of several ranks become one of their job.
#include "timeline/analysis/report_data.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <string_view>

namespace perseid {
namespace {

constexpr size_t kMaxDoubts = 32;

bool is_thread(WorkerKind kind) { return kind == WorkerKind::kOpenmpThread; }

void pad(LabelSums& labels, WorkerKind kind, int64_t before_ns, int64_t after_ns) {
  labels[is_thread(kind) ? Label::kSerial : Label::kStart] += before_ns;
  labels[is_thread(kind) ? Label::kSerial : Label::kTail] += after_ns;
}

/// The chain of one rank also has to cover the time before and after its own window.
void pad(Chain& chain, int64_t before_ns, int64_t after_ns) {
  const bool is_known = std::ranges::any_of(chain.ns, [](int64_t ns) { return ns != 0; });
  if (!is_known) return;
  chain.ns[static_cast<size_t>(ChainLabel::kSubmission)] += before_ns;
  chain.ns[static_cast<size_t>(ChainLabel::kUnknown)] += after_ns;
}

/// Makes the window of a report that of its job.
void widen(ReportData& data, int64_t begin_ns, int64_t end_ns, int64_t time_ns) {
  const int64_t missing_ns = time_ns - data.time_ns;
  const int64_t before_ns = std::clamp<int64_t>(data.begin_ns - begin_ns, 0, missing_ns);
  const int64_t after_ns = missing_ns - before_ns;
  for (WorkerTime& worker : data.workers) pad(worker.labels, worker.kind, before_ns, after_ns);
  for (size_t i = 0; i < kWorkerKinds; ++i) {
    const auto workers = static_cast<int64_t>(data.sums.workers[i]);
    pad(data.sums.labels[i], static_cast<WorkerKind>(i), workers * before_ns, workers * after_ns);
  }
  pad(data.chain, before_ns, after_ns);
  data.begin_ns = begin_ns;
  data.end_ns = end_ns;
  data.time_ns = time_ns;
}

int64_t weighted(int64_t a, uint64_t tasks_a, int64_t b, uint64_t tasks_b) {
  const double tasks = static_cast<double>(tasks_a) + static_cast<double>(tasks_b);
  if (tasks == 0) return 0;
  return static_cast<int64_t>((static_cast<double>(a) * static_cast<double>(tasks_a) +
                               static_cast<double>(b) * static_cast<double>(tasks_b)) /
                              tasks);
}

/// Medians and percentiles of two ranks have no exact sum: their means stand for them.
void add(KindOnWorkers& to, const KindOnWorkers& more) {
  to.median_ns = weighted(to.median_ns, to.tasks, more.median_ns, more.tasks);
  to.p95_ns = weighted(to.p95_ns, to.tasks, more.p95_ns, more.tasks);
  to.max_ns = std::max(to.max_ns, more.max_ns);
  to.tasks += more.tasks;
  to.total_ns += more.total_ns;
  to.outliers += more.outliers;
  to.outlier_excess_ns += more.outlier_excess_ns;
}

void add(KindStatistics& to, const KindStatistics& more) {
  if (to.model_error_permille < 0) {
    to.model_error_permille = more.model_error_permille;
  } else if (more.model_error_permille >= 0) {
    to.model_error_permille =
        weighted(to.model_error_permille, to.tasks, more.model_error_permille, more.tasks);
  }
  to.tasks += more.tasks;
  to.total_ns += more.total_ns;
  to.wait_dependencies_ns += more.wait_dependencies_ns;
  to.wait_queue_ns += more.wait_queue_ns;
  for (size_t i = 0; i < kWorkerKinds; ++i) add(to.on[i], more.on[i]);
}

void add_kinds(ReportData& to, const ReportData& rank, bool is_rank_last) {
  if (is_rank_last) {
    for (KindStatistics& kind : to.kinds) kind.on_chain_ns = 0;
  }
  for (const KindStatistics& kind : rank.kinds) {
    const auto known = std::ranges::find(to.kinds, kind.kind, &KindStatistics::kind);
    if (known == to.kinds.end()) {
      to.kinds.push_back(kind);
      if (!is_rank_last) to.kinds.back().on_chain_ns = 0;
      continue;
    }
    add(*known, kind);
    if (is_rank_last) known->on_chain_ns = kind.on_chain_ns;
  }
  std::ranges::stable_sort(to.kinds, std::ranges::greater{}, &KindStatistics::total_ns);
}

/// Of a phase only its length is known, not when it was.
void widen(PhaseTime& phase, int64_t time_ns) {
  for (size_t i = 0; i < kWorkerKinds; ++i) {
    pad(phase.labels[i], static_cast<WorkerKind>(i), 0,
        (time_ns - phase.time_ns) * static_cast<int64_t>(phase.workers[i]));
  }
  phase.time_ns = time_ns;
}

void add(PhaseTime& to, PhaseTime more) {
  const int64_t time_ns = std::max(to.time_ns, more.time_ns);
  widen(to, time_ns);
  widen(more, time_ns);
  for (size_t i = 0; i < kWorkerKinds; ++i) {
    to.labels[i] += more.labels[i];
    to.workers[i] += more.workers[i];
  }
}

void add_phases(ReportData& to, const ReportData& rank) {
  for (const PhaseTime& phase : rank.phases) {
    const auto known = std::ranges::find(to.phases, phase.name, &PhaseTime::name);
    if (known == to.phases.end()) {
      to.phases.push_back(phase);
    } else {
      add(*known, phase);
    }
  }
}

void add_doubts(ReportData& to, const ReportData& rank) {
  for (const Doubt& doubt : rank.doubts) {
    const bool is_known = std::ranges::any_of(to.doubts, [&](const Doubt& known) {
      return known.id == doubt.id && known.text == doubt.text;
    });
    if (!is_known && to.doubts.size() < kMaxDoubts) to.doubts.push_back(doubt);
  }
}

/// "gpu07", "gpu07 and 3 more": each of the others once.
void add_host(ReportData& to, const std::string& host) {
  if (host.empty() || std::ranges::find(to.hosts, host) != to.hosts.end()) return;
  to.hosts.push_back(host);
  to.host = to.hosts.front();
  if (to.hosts.size() > 1) to.host += " and " + std::to_string(to.hosts.size() - 1) + " more";
}

}  // namespace

void add(ReportData& to, const ReportData& rank) {
  if (to.ranks == 0) {
    to = rank;
    return;
  }
  ReportData more = rank;
  if (to.hosts.empty() && !to.host.empty()) to.hosts.push_back(to.host);
  if (more.hosts.empty()) more.hosts.push_back(more.host);
  for (const std::string& host : more.hosts) add_host(to, host);
  if (to.program.empty()) to.program = more.program;
  if (to.job.empty()) to.job = more.job;
  if (to.policy.empty()) to.policy = more.policy;
  if (to.scope.empty()) to.scope = more.scope;
  to.ranks += more.ranks;
  to.tasks += more.tasks;
  to.lost += more.lost;
  add_doubts(to, more);

  // A rank that recorded nothing to judge has no window.
  const bool has_time = more.time_ns > 0;
  const bool had_time = to.time_ns > 0;
  const bool is_last = has_time && (!had_time || more.end_ns > to.end_ns);
  if (has_time && had_time) {
    const int64_t begin_ns = std::min(to.begin_ns, more.begin_ns);
    const int64_t end_ns = std::max(to.end_ns, more.end_ns);
    const int64_t left_out_ns =
        std::max(to.end_ns - to.begin_ns - to.time_ns, more.end_ns - more.begin_ns - more.time_ns);
    const int64_t time_ns = std::max({end_ns - begin_ns - left_out_ns, to.time_ns, more.time_ns});
    widen(to, begin_ns, end_ns, time_ns);
    widen(more, begin_ns, end_ns, time_ns);
    to.before_ns = std::min(to.before_ns, more.before_ns);
    to.after_ns = std::min(to.after_ns, more.after_ns);
  } else if (has_time) {
    to.begin_ns = more.begin_ns;
    to.end_ns = more.end_ns;
    to.before_ns = more.before_ns;
    to.after_ns = more.after_ns;
    for (WorkerTime& worker : to.workers) pad(worker.labels, worker.kind, 0, more.time_ns);
    to.time_ns = more.time_ns;
  } else if (had_time) {
    for (WorkerTime& worker : more.workers) pad(worker.labels, worker.kind, 0, to.time_ns);
  }
  to.workers.insert(to.workers.end(), more.workers.begin(), more.workers.end());
  for (size_t i = 0; i < kWorkerKinds; ++i) {
    to.sums.labels[i] += more.sums.labels[i];
    to.sums.workers[i] += more.sums.workers[i];
  }
  if (is_last) to.chain = more.chain;
  // No task moves to another rank: what bounds one rank bounds the job.
  const auto raise = [](int64_t& bound, int64_t other) { bound = std::max(bound, other); };
  if (more.bounds.chain_ns > to.bounds.chain_ns) to.bounds.longest = more.bounds.longest;
  raise(to.bounds.area_ns, more.bounds.area_ns);
  raise(to.bounds.chain_ns, more.bounds.chain_ns);
  raise(to.bounds.submission_ns, more.bounds.submission_ns);
  raise(to.bounds.best_ns, more.bounds.best_ns);
  add_kinds(to, more, is_last);
  add_phases(to, more);
  if (to.too_short.empty() || more.too_short.empty()) to.too_short.clear();
}

std::string broken_identity(const ReportData& data) {
  for (const WorkerTime& worker : data.workers) {
    if (worker.labels.total() != data.time_ns) {
      return fmt::format("the labels of {} sum to {} ns of {}", worker.name, worker.labels.total(),
                         data.time_ns);
    }
    std::string negative;
    for_each_label([&](Label label) {
      if (worker.labels[label] < 0) {
        negative =
            fmt::format("{} of {} is {} ns", id_of(label), worker.name, worker.labels[label]);
      }
    });
    if (!negative.empty()) return negative;
  }
  const int64_t chain_ns = std::accumulate(data.chain.ns.begin(), data.chain.ns.end(), int64_t{0});
  if (chain_ns != 0 && chain_ns != data.time_ns) {
    return fmt::format("the chain sums to {} ns of {}", chain_ns, data.time_ns);
  }
  if (data.bounds.best_ns > data.time_ns) {
    return fmt::format("the bound of {} ns is above the time of {}", data.bounds.best_ns,
                       data.time_ns);
  }
  return "";
}

}  // namespace perseid
