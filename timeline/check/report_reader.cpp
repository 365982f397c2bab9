// timeline/check/report_reader.cpp: JSON -> ReportData, with every number checked.
#include "timeline/check/report_reader.h"

#include <fmt/format.h>
#include <rapidjson/document.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>

#include "timeline/report/report_names.h"

namespace perseid {
namespace {

/// More than any machine has, and few enough for what a file may make us allocate.
constexpr rapidjson::SizeType kMostEntries = 1 << 20;
/// Sums of times must fit into 64 bits, too.
constexpr int64_t kMostNs = int64_t{1} << 62;

/// What is wrong with a member; caught at the only entry point.
struct BadMember {
  std::string sentence;
};

using Value = rapidjson::Value;

const Value* find(const Value& object, std::string_view key) {
  const auto member =
      object.FindMember(Value(key.data(), static_cast<rapidjson::SizeType>(key.size())));
  return member != object.MemberEnd() ? &member->value : nullptr;
}

[[noreturn]] void refuse(std::string_view key, const char* why) {
  throw BadMember{fmt::format("its member \"{}\" {}", key, why)};
}

std::string text(const Value& object, std::string_view key) {
  const Value* const found = find(object, key);
  if (found == nullptr) return {};
  if (!found->IsString()) refuse(key, "is no text");
  return {found->GetString(), found->GetStringLength()};
}

int64_t as_number(const Value& value, std::string_view key) {
  if (!value.IsInt64() || value.GetInt64() < 0) refuse(key, "is no number from 0 on");
  return value.GetInt64();
}

template <class Number>
void read(const Value& object, std::string_view key, Number& to) {
  const Value* const found = find(object, key);
  if (found == nullptr) return;
  const int64_t value = as_number(*found, key);
  if (std::cmp_greater(value, std::numeric_limits<Number>::max())) refuse(key, "is too large");
  to = static_cast<Number>(value);
}

const Value& as_object(const Value& value, std::string_view key) {
  if (!value.IsObject()) refuse(key, "is no object");
  return value;
}

const Value* find_object(const Value& object, std::string_view key) {
  const Value* const found = find(object, key);
  return found != nullptr ? &as_object(*found, key) : nullptr;
}

/// Calls `use` for each entry of a list of objects.
template <class Use>
void for_each(const Value& object, std::string_view key, Use&& use) {
  const Value* const found = find(object, key);
  if (found == nullptr) return;
  if (!found->IsArray()) refuse(key, "is no list");
  if (found->Size() > kMostEntries) refuse(key, "is too long");
  for (const Value& entry : found->GetArray()) use(as_object(entry, key));
}

/// Times of one list: their sum stays within bounds, so that nobody who adds them has to look.
class Budget {
 public:
  int64_t take(int64_t ns, std::string_view key) {
    if (ns > kMostNs - used_ns_) refuse(key, "is too large");
    used_ns_ += ns;
    return ns;
  }
  int64_t read(const Value& object, std::string_view key) {
    int64_t ns = 0;
    perseid::read(object, key, ns);
    return take(ns, key);
  }

 private:
  int64_t used_ns_ = 0;
};

int64_t read_ns(const Value& object, std::string_view key) { return Budget().read(object, key); }

std::string_view name_of(const Value::Member& member) {
  return {member.name.GetString(), member.name.GetStringLength()};
}

LabelSums read_labels(const Value& object, Budget& budget) {
  LabelSums labels;
  for (const Value::Member& member : object.GetObject()) {
    const std::string_view id = name_of(member);
    const auto known = std::ranges::find(kLabelInfos, id, &LabelInfo::id);
    const Label label = known != kLabelInfos.end() ? static_cast<Label>(known - kLabelInfos.begin())
                                                   : Label::kUnexplained;
    labels[label] += budget.take(as_number(member.value, id), id);
  }
  return labels;
}

size_t kind_of(std::string_view id) {
  const auto known = std::ranges::find(kWorkerKindNames, id, &WorkerKindName::id);
  return known != kWorkerKindNames.end() ? static_cast<size_t>(known - kWorkerKindNames.begin())
                                         : static_cast<size_t>(WorkerKind::kOther);
}

void read_counts(const Value& object, std::array<uint32_t, kWorkerKinds>& workers) {
  const Value* const counts = find_object(object, "workers_by_kind");
  if (counts == nullptr) return;
  for (const Value::Member& member : counts->GetObject()) {
    const int64_t count = as_number(member.value, "workers_by_kind");
    if (count > kMostEntries) refuse("workers_by_kind", "is too large");
    workers[kind_of(name_of(member))] = static_cast<uint32_t>(count);
  }
}

void read_by_kind(const Value& object, PhaseTime& to, Budget& budget) {
  read_counts(object, to.workers);
  const Value* const labels = find_object(object, "labels");
  if (labels == nullptr) return;
  for (const Value::Member& member : labels->GetObject()) {
    if (name_of(member) == "all") continue;  // the sum of the others
    to.labels[kind_of(name_of(member))] +=
        read_labels(as_object(member.value, name_of(member)), budget);
  }
}

std::vector<KindTime> read_kind_times(const Value& object, std::string_view key) {
  std::vector<KindTime> kinds;
  Budget budget;
  for_each(object, key, [&](const Value& entry) {
    KindTime& kind = kinds.emplace_back();
    kind.kind = text(entry, "kind");
    kind.ns = budget.read(entry, "ns");
    read(entry, "tasks", kind.tasks);
  });
  return kinds;
}

KindStatistics read_kind(const Value& entry, Budget& budget) {
  KindStatistics kind;
  kind.kind = text(entry, "kind");
  read(entry, "tasks", kind.tasks);
  kind.total_ns = budget.read(entry, "total_ns");
  kind.on_chain_ns = budget.read(entry, "on_chain_ns");
  kind.wait_dependencies_ns = read_ns(entry, "wait_dependencies_ns");
  kind.wait_queue_ns = read_ns(entry, "wait_queue_ns");
  read(entry, "model_error_permille", kind.model_error_permille);
  const Value* const on = find_object(entry, "on");
  if (on == nullptr) return kind;
  for (const Value::Member& member : on->GetObject()) {
    const Value& from = as_object(member.value, name_of(member));
    KindOnWorkers& to = kind.on[kind_of(name_of(member))];
    read(from, "tasks", to.tasks);
    to.total_ns = read_ns(from, "total_ns");
    to.median_ns = read_ns(from, "median_ns");
    to.p95_ns = read_ns(from, "p95_ns");
    to.max_ns = read_ns(from, "max_ns");
    read(from, "outliers", to.outliers);
    to.outlier_excess_ns = read_ns(from, "outlier_excess_ns");
  }
  return kind;
}

void read_run(const Value& object, ReportData& data) {
  data.program = text(object, "program");
  data.job = text(object, "job");
  data.host = text(object, "host");
  data.policy = text(object, "policy");
  data.scope = text(object, "scope");
  data.too_short = text(object, "too_short");
  if (const Value* const hosts = find(object, "hosts"); hosts != nullptr) {
    if (!hosts->IsArray() || hosts->Size() > kMostEntries) refuse("hosts", "is no list");
    for (const Value& host : hosts->GetArray()) {
      if (!host.IsString()) refuse("hosts", "is no list of texts");
      data.hosts.emplace_back(host.GetString(), host.GetStringLength());
    }
  }
  read(object, "ranks", data.ranks);
  read(object, "tasks", data.tasks);
  read(object, "lost", data.lost);
  data.begin_ns = read_ns(object, "begin_ns");
  data.end_ns = read_ns(object, "end_ns");
  data.time_ns = read_ns(object, "time_ns");
  data.before_ns = read_ns(object, "before_ns");
  data.after_ns = read_ns(object, "after_ns");
  if (data.end_ns < data.begin_ns) refuse("end_ns", "is before begin_ns");
}

void read_workers(const Value& object, ReportData& data) {
  Budget budget;
  for_each(object, "per_worker", [&](const Value& entry) {
    WorkerTime& worker = data.workers.emplace_back();
    read(entry, "id", worker.id);
    worker.name = text(entry, "name");
    worker.kind = static_cast<WorkerKind>(kind_of(text(entry, "kind")));
    read(entry, "rank", worker.rank);
    if (const Value* const labels = find_object(entry, "labels")) {
      worker.labels = read_labels(*labels, budget);
    }
  });
  // What is padded when ranks are added stays within bounds, too.
  const auto workers = static_cast<int64_t>(std::max<size_t>(1, data.workers.size()));
  if (data.end_ns > kMostNs / workers || data.time_ns > kMostNs / workers) {
    refuse("time_ns", "is too large");
  }
  if (data.workers.empty()) {
    Budget sums;
    read_by_kind(object, data.sums, sums);
  }
}

void read_chain(const Value& object, ReportData& data) {
  Budget budget;
  if (const Value* const chain = find_object(object, "chain")) {
    for (const Value::Member& member : chain->GetObject()) {
      const auto known = std::ranges::find(kChainLabelNames, name_of(member), &ChainLabelName::id);
      const size_t label = known != kChainLabelNames.end()
                               ? static_cast<size_t>(known - kChainLabelNames.begin())
                               : static_cast<size_t>(ChainLabel::kUnknown);
      data.chain.ns[label] += budget.take(as_number(member.value, "chain"), "chain");
    }
  }
  data.chain.work = read_kind_times(object, "chain_work");
  data.chain.taint = text(object, "chain_taint");
  if (const Value* const bounds = find_object(object, "bounds")) {
    data.bounds.area_ns = read_ns(*bounds, "area_ns");
    data.bounds.chain_ns = read_ns(*bounds, "chain_ns");
    data.bounds.submission_ns = read_ns(*bounds, "submission_ns");
    data.bounds.best_ns = read_ns(*bounds, "best_ns");
  }
  data.bounds.longest = read_kind_times(object, "longest_chain");
}

void read_lists(const Value& object, ReportData& data) {
  Budget kinds;
  for_each(object, "kinds",
           [&](const Value& entry) { data.kinds.push_back(read_kind(entry, kinds)); });
  Budget phases;
  for_each(object, "phases", [&](const Value& entry) {
    PhaseTime& phase = data.phases.emplace_back();
    phase.name = text(entry, "name");
    phase.time_ns = phases.read(entry, "time_ns");
    read_by_kind(entry, phase, phases);
    int64_t workers = 1;
    for (const uint32_t count : phase.workers) workers += count;
    if (phase.time_ns > kMostNs / workers) refuse("time_ns", "is too large");
  });
  for_each(object, "doubts", [&](const Value& entry) {
    data.doubts.push_back({text(entry, "id"), text(entry, "text")});
  });
}

/// Not less than any sum of its numbers.
long double magnitude(const ReportData& data) noexcept {
  long double all = 0;
  const auto add = [&all](int64_t ns) { all += static_cast<long double>(ns); };
  const auto add_labels = [&add](const LabelSums& labels) {
    for_each_label([&](Label label) { add(labels[label]); });
  };
  for (const WorkerTime& worker : data.workers) add_labels(worker.labels);
  for (const LabelSums& labels : data.sums.labels) add_labels(labels);
  for (const PhaseTime& phase : data.phases) {
    add(phase.time_ns);
    for (const LabelSums& labels : phase.labels) add_labels(labels);
  }
  for (const int64_t ns : data.chain.ns) add(ns);
  for (const KindStatistics& kind : data.kinds) {
    for (const int64_t ns : {kind.total_ns, kind.on_chain_ns, kind.wait_dependencies_ns,
                             kind.wait_queue_ns, kind.model_error_permille})
      add(ns);
    for (const KindOnWorkers& on : kind.on) {
      add(on.total_ns);
      add(on.outlier_excess_ns);
    }
  }
  return all;
}

uint64_t most_workers(const ReportData& data) noexcept {
  uint64_t workers = data.workers.size();
  for (const uint32_t count : data.sums.workers) workers += count;
  for (const PhaseTime& phase : data.phases) {
    for (const uint32_t count : phase.workers) workers += count;
  }
  return workers;
}

}  // namespace

bool can_add(const ReportData& to, const ReportData& more) noexcept {
  // Windows are made as long as the whole job: that much can be added to each worker.
  const auto longest =
      static_cast<long double>(std::max({to.end_ns, more.end_ns, to.time_ns, more.time_ns}));
  long double phases = 0;
  for (const PhaseTime& phase : to.phases) phases += static_cast<long double>(phase.time_ns);
  for (const PhaseTime& phase : more.phases) phases += static_cast<long double>(phase.time_ns);
  const auto workers = static_cast<long double>(1 + most_workers(to) + most_workers(more));
  return magnitude(to) + magnitude(more) + workers * (longest + phases) <
             static_cast<long double>(kMostNs) &&
         uint64_t{to.ranks} + more.ranks < UINT32_MAX;
}

Result<ReportData> read_report_json(std::string_view json) {
  rapidjson::Document document;
  // Iterative: the input's nesting must not become that of our stack.
  constexpr unsigned kFlags =
      rapidjson::kParseIterativeFlag | rapidjson::kParseValidateEncodingFlag;
  document.Parse<kFlags>(json.data(), json.size());
  if (document.HasParseError()) {
    return Error{fmt::format("the report is no JSON at byte {}", document.GetErrorOffset())};
  }
  if (!document.IsObject()) return Error{"the report is no JSON object"};
  try {
    int64_t version = 0;
    read(document, "version", version);
    if (version < 1) refuse("version", "is missing");
    ReportData data;
    read_run(document, data);
    read_workers(document, data);
    read_chain(document, data);
    read_lists(document, data);
    return data;
  } catch (const BadMember& bad) {
    return Error{fmt::format("the report cannot be read: {}", bad.sentence)};
  }
}

}  // namespace perseid
