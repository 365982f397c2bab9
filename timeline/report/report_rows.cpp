// timeline/report/report_rows.cpp: joins small labels, and rounds shares.
#include "timeline/report/report_rows.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>

namespace perseid {
namespace {

struct Group {
  std::string_view text;
  std::array<Label, 4> labels;
  size_t count;
};
/// What has the same remedy.
constexpr Group kGroups[] = {
    {"scheduler and runtime",
     {Label::kScheduler, Label::kCallback, Label::kLatency, Label::kPaused},
     4},
    {"dependencies and messages", {Label::kDependencies, Label::kNetwork}, 2},
    {"ready tasks, but not for these", {Label::kElsewhere, Label::kNoTaskForKind}, 2},
    {"nothing submitted", {Label::kSubmission, Label::kThrottled, Label::kProgramWaits}, 3},
    {"start and tail", {Label::kStart, Label::kTail}, 2},
    {"barriers and regions", {Label::kBarrier, Label::kForkJoin}, 2},
    {"devices and MPI", {Label::kDevice, Label::kMpi}, 2},
    {"not known", {Label::kNotRecorded, Label::kUnexplained}, 2},
};

/// Less than this share of all time, or of that of each kind of worker, gets no row of its own.
constexpr double kSmallShare = 0.02;

bool is_small(Label label, const WorkerSums& sums) {
  const auto is_small_in = [label](const LabelSums& of) {
    return static_cast<double>(of[label]) < kSmallShare * static_cast<double>(of.total());
  };
  return (is_small_in(sums.all) || sums.all[label] == 0) &&
         std::ranges::all_of(
             sums.labels, [&](const LabelSums& of) { return of[label] == 0 || is_small_in(of); });
}

/// Would be 0.0 in all columns.
bool is_invisible(const ReportRow& row, const WorkerSums& sums) {
  constexpr double kVisible = 0.0005;
  const auto is_tiny_in = [&row](const LabelSums& of) {
    return static_cast<double>(row.of(of)) < kVisible * static_cast<double>(of.total()) ||
           row.of(of) == 0;
  };
  return is_tiny_in(sums.all) && std::ranges::all_of(sums.labels, is_tiny_in);
}

void join(std::vector<ReportRow>& rows, const Group& group, bool only_small,
          const WorkerSums& sums) {
  ReportRow joined{group.text, {}};
  for (const Label label : std::span(group.labels).first(group.count)) {
    const auto row = std::ranges::find_if(rows, [label](const ReportRow& of) {
      return of.labels.size() == 1 && of.labels.front() == label;
    });
    if (row == rows.end() || (only_small && !is_small(label, sums))) continue;
    joined.labels.push_back(label);
  }
  if (joined.labels.size() < 2) return;
  std::erase_if(rows, [&](const ReportRow& row) {
    return row.labels.size() == 1 &&
           std::ranges::find(joined.labels, row.labels.front()) != joined.labels.end();
  });
  rows.push_back(std::move(joined));
}

}  // namespace

WorkerSums sums_of(const ReportData& data) {
  WorkerSums sums;
  sums.labels = data.sums.labels;
  sums.workers = data.sums.workers;
  if (!data.workers.empty()) sums = {};
  for (const WorkerTime& worker : data.workers) {
    const auto kind = static_cast<size_t>(worker.kind);
    sums.labels[kind] += worker.labels;
    ++sums.workers[kind];
  }
  for (const LabelSums& labels : sums.labels) sums.all += labels;
  for (const uint32_t workers : sums.workers) sums.all_workers += workers;
  return sums;
}

std::vector<ReportRow> rows_of(const WorkerSums& sums, size_t most) {
  std::vector<ReportRow> rows;
  for_each_label([&](Label label) {
    if (sums.all[label] != 0) rows.push_back({text_of(label), {label}});
  });
  if (rows.size() > most) {
    for (const Group& group : kGroups) join(rows, group, true, sums);
  }
  const auto by_size = [&] {
    std::ranges::stable_sort(rows, [&](const ReportRow& a, const ReportRow& b) {
      const bool is_work = a.labels.front() == Label::kWork;
      if (is_work != (b.labels.front() == Label::kWork)) return is_work;
      return a.of(sums.all) > b.of(sums.all);
    });
  };
  for (const Group& group : kGroups) {
    if (rows.size() > most) join(rows, group, false, sums);
  }
  by_size();
  const auto is_nothing = [&](const ReportRow& row) { return is_invisible(row, sums); };
  while (most > 1 && rows.size() > 1 &&
         (rows.size() > most || (is_nothing(rows.back()) && is_nothing(rows[rows.size() - 2])))) {
    ReportRow& last = rows[rows.size() - 2];
    last.text = "other";
    last.labels.insert(last.labels.end(), rows.back().labels.begin(), rows.back().labels.end());
    rows.pop_back();
  }
  return rows;
}

std::vector<int64_t> rounded_shares(const std::vector<int64_t>& parts, int64_t whole) {
  std::vector<int64_t> shares(parts.size(), 0);
  long double sum = 0;
  for (const int64_t part : parts) sum += static_cast<long double>(part);
  if (!(sum > 0)) return shares;
  std::vector<std::pair<long double, size_t>> remainders;
  int64_t missing = whole;
  for (size_t i = 0; i < parts.size(); ++i) {
    const long double exact =
        static_cast<long double>(parts[i]) * static_cast<long double>(whole) / sum;
    shares[i] = static_cast<int64_t>(std::floor(exact));
    missing -= shares[i];
    remainders.emplace_back(exact - std::floor(exact), i);
  }
  std::ranges::stable_sort(remainders, std::ranges::greater{},
                           &std::pair<long double, size_t>::first);
  for (size_t i = 0; missing > 0; ++i, --missing) ++shares[remainders[i % parts.size()].second];
  return shares;
}

}  // namespace perseid
