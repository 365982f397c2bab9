// timeline/report/report_json.cpp: prints members by hand: the host's process has no JSON library.
#include "timeline/report/report_json.h"

#include <span>
#include <type_traits>

#include "timeline/report/report_names.h"
#include "timeline/report/report_rows.h"
#include "timeline/writers/byte_buffer.h"
#include "timeline/writers/json/json_text.h"

namespace perseid {
namespace {

/// Objects and lists, with commas where they belong.
class JsonPrinter {
 public:
  void begin_object() { begin('{'); }
  void end_object() { end('}'); }
  void begin_list() { begin('['); }
  void end_list() { end(']'); }

  void key(std::string_view name) {
    separate();
    quoted(name);
    out_.reserve(1);
    out_.byte(':');
    needs_comma_ = false;
  }
  void text(std::string_view value) {
    separate();
    quoted(value);
  }
  template <class Number>
  void number(Number value) {
    separate();
    out_.reserve(ByteBuffer::kMaxNumber);
    out_.number(value);
  }
  /// A member that starts a line.
  void member_on_line(std::string_view name) {
    separate();
    out_.reserve(1);
    out_.byte('\n');
    needs_comma_ = false;
    key(name);
  }

  template <class Value>
  void member(std::string_view name, const Value& value) {
    key(name);
    if constexpr (std::is_arithmetic_v<Value>) {
      number(value);
    } else {
      text(value);
    }
  }

  std::string take() { return std::string(out_.view()); }

 private:
  void begin(char bracket) {
    separate();
    out_.reserve(1);
    out_.byte(bracket);
    needs_comma_ = false;
  }
  void end(char bracket) {
    out_.reserve(1);
    out_.byte(bracket);
    needs_comma_ = true;
  }
  void separate() {
    out_.reserve(1);
    if (needs_comma_) out_.byte(',');
    needs_comma_ = true;
  }
  void quoted(std::string_view value) {
    out_.reserve(1);
    out_.byte('"');
    // Perfetto refuses a timeline with this character inside of a member that it does not know
    // (v55).
    constexpr char kDelete = 0x7f;
    for (size_t end = 0; (end = value.find(kDelete)) != std::string_view::npos;) {
      write_json_text(out_, value.substr(0, end));
      out_.reserve(8);
      out_.literal("\\u007f");
      value.remove_prefix(end + 1);
    }
    write_json_text(out_, value);
    out_.reserve(1);
    out_.byte('"');
  }

  ByteBuffer out_;
  bool needs_comma_ = false;
};

/// Without those that are 0, except where a reader may rely on all of them.
void print(JsonPrinter& out, const LabelSums& labels, bool all) {
  out.begin_object();
  for_each_label([&](Label label) {
    if (all || labels[label] != 0) out.member(id_of(label), labels[label]);
  });
  out.end_object();
}

void print_by_kind(JsonPrinter& out, const std::array<LabelSums, kWorkerKinds>& labels,
                   const std::array<uint32_t, kWorkerKinds>& workers, bool all) {
  for (size_t i = 0; i < kWorkerKinds; ++i) {
    if (workers[i] == 0) continue;
    out.key(kWorkerKindNames[i].id);
    print(out, labels[i], all);
  }
}

void print_counts(JsonPrinter& out, const std::array<uint32_t, kWorkerKinds>& workers) {
  out.begin_object();
  for (size_t i = 0; i < kWorkerKinds; ++i) {
    if (workers[i] != 0) out.member(kWorkerKindNames[i].id, workers[i]);
  }
  out.end_object();
}

void print(JsonPrinter& out, std::span<const KindTime> kinds) {
  out.begin_list();
  for (const KindTime& kind : kinds) {
    out.begin_object();
    out.member("kind", kind.kind);
    out.member("ns", kind.ns);
    out.member("tasks", kind.tasks);
    out.end_object();
  }
  out.end_list();
}

void print(JsonPrinter& out, const KindStatistics& kind) {
  out.begin_object();
  out.member("kind", kind.kind);
  out.member("tasks", kind.tasks);
  out.member("total_ns", kind.total_ns);
  out.member("on_chain_ns", kind.on_chain_ns);
  out.member("wait_dependencies_ns", kind.wait_dependencies_ns);
  out.member("wait_queue_ns", kind.wait_queue_ns);
  if (kind.model_error_permille >= 0) out.member("model_error_permille", kind.model_error_permille);
  out.key("on");
  out.begin_object();
  for (size_t i = 0; i < kWorkerKinds; ++i) {
    const KindOnWorkers& on = kind.on[i];
    if (on.tasks == 0) continue;
    out.key(kWorkerKindNames[i].id);
    out.begin_object();
    out.member("tasks", on.tasks);
    out.member("total_ns", on.total_ns);
    out.member("median_ns", on.median_ns);
    out.member("p95_ns", on.p95_ns);
    out.member("max_ns", on.max_ns);
    out.member("outliers", on.outliers);
    out.member("outlier_excess_ns", on.outlier_excess_ns);
    out.end_object();
  }
  out.end_object();
  out.end_object();
}

void print_run(JsonPrinter& out, const ReportData& data) {
  out.member("version", kReportVersion);
  out.member("program", data.program);
  out.member("job", data.job);
  out.member("host", data.host);
  if (!data.hosts.empty()) {
    out.key("hosts");
    out.begin_list();
    for (const std::string& host : data.hosts) out.text(host);
    out.end_list();
  }
  out.member("policy", data.policy);
  out.member("scope", data.scope);
  out.member("too_short", data.too_short);
  out.member("ranks", data.ranks);
  out.member("tasks", data.tasks);
  out.member("lost", data.lost);
  out.member("begin_ns", data.begin_ns);
  out.member("end_ns", data.end_ns);
  out.member("time_ns", data.time_ns);
  out.member("before_ns", data.before_ns);
  out.member("after_ns", data.after_ns);
}

void print_labels(JsonPrinter& out, const WorkerSums& sums) {
  out.member("workers", sums.all_workers);
  out.key("workers_by_kind");
  print_counts(out, sums.workers);
  out.member("worker_ns", sums.all.total());
  out.member_on_line("labels");
  out.begin_object();
  out.key("all");
  print(out, sums.all, true);
  print_by_kind(out, sums.labels, sums.workers, true);
  out.end_object();
}

void print_chain_and_bounds(JsonPrinter& out, const ReportData& data) {
  out.member_on_line("chain");
  out.begin_object();
  for (size_t i = 0; i < kChainLabels; ++i) out.member(kChainLabelNames[i].id, data.chain.ns[i]);
  out.end_object();
  out.key("chain_work");
  print(out, data.chain.work);
  out.member("chain_taint", data.chain.taint);
  out.member_on_line("bounds");
  out.begin_object();
  out.member("area_ns", data.bounds.area_ns);
  out.member("chain_ns", data.bounds.chain_ns);
  out.member("submission_ns", data.bounds.submission_ns);
  out.member("best_ns", data.bounds.best_ns);
  out.end_object();
  out.key("longest_chain");
  print(out, data.bounds.longest);
}

void print_lists(JsonPrinter& out, const ReportData& data) {
  out.member_on_line("kinds");
  out.begin_list();
  for (const KindStatistics& kind : data.kinds) print(out, kind);
  out.end_list();
  out.member_on_line("per_worker");
  out.begin_list();
  for (const WorkerTime& worker : data.workers) {
    out.begin_object();
    out.member("id", worker.id);
    out.member("name", worker.name);
    out.member("kind", kWorkerKindNames[static_cast<size_t>(worker.kind)].id);
    out.member("rank", worker.rank);
    out.key("labels");
    print(out, worker.labels, false);
    out.end_object();
  }
  out.end_list();
  out.member_on_line("phases");
  out.begin_list();
  for (const PhaseTime& phase : data.phases) {
    out.begin_object();
    out.member("name", phase.name);
    out.member("time_ns", phase.time_ns);
    out.key("workers_by_kind");
    print_counts(out, phase.workers);
    out.key("labels");
    out.begin_object();
    print_by_kind(out, phase.labels, phase.workers, false);
    out.end_object();
    out.end_object();
  }
  out.end_list();
  out.member_on_line("findings");
  out.begin_list();
  out.end_list();
  out.member_on_line("doubts");
  out.begin_list();
  for (const Doubt& doubt : data.doubts) {
    out.begin_object();
    out.member("id", doubt.id);
    out.member("text", doubt.text);
    out.end_object();
  }
  out.end_list();
}

}  // namespace

std::string write_report_json(const ReportData& data) {
  JsonPrinter out;
  out.begin_object();
  print_run(out, data);
  print_labels(out, sums_of(data));
  print_chain_and_bounds(out, data);
  print_lists(out, data);
  out.end_object();
  return out.take();
}

}  // namespace perseid
