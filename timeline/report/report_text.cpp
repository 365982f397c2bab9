// timeline/report/report_text.cpp: what ran, how good it was, where the time went, and why.
//
//   head     what ran and whether it is complete; the verdict
//   where    a column for each kind of worker, and one for all
//   chain    what the run waited for
//   kinds    of tasks, as many as there is room for
//   doubts, and what to read next
#include "timeline/report/report_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>
#include <vector>

#include "timeline/report/report_names.h"
#include "timeline/report/report_rows.h"
#include "timeline/writers/printable.h"
#include "timeline/writers/utf8.h"

namespace perseid {
namespace {

constexpr size_t kMostRows = 8;
constexpr size_t kMostKinds = 7;
constexpr double kGood = 0.05;         // this near to the bound there is little to gain
constexpr double kWorthALine = 0.005;  // of all time
constexpr std::string_view kMore = "...";

size_t width_of(std::string_view text) {
  return static_cast<size_t>(
      std::ranges::count_if(text, [](char c) { return (static_cast<uint8_t>(c) & 0xc0) != 0x80; }));
}

/// At most `width` characters.
std::string cut(std::string text, size_t width) {
  if (width_of(text) <= width) return text;
  const size_t kept = width > kMore.size() ? width - kMore.size() : 0;
  size_t at = 0;
  for (size_t seen = 0; at < text.size(); ++at) {
    const bool begins = (static_cast<uint8_t>(text[at]) & 0xc0) != 0x80;
    if (begins && seen++ == kept) break;
  }
  text.resize(at);
  return text + std::string(kMore.substr(0, width));
}

/// A name of the program as JSON keeps it too, so that text from a timeline is the same.
std::string name(std::string_view text, size_t width) {
  std::string scratch;
  return cut(printable(repair_utf8(text, scratch)), width);
}

std::string padded(const std::string& text, size_t width) {
  const size_t used = width_of(text);
  return used < width ? text + std::string(width - used, ' ') : text;
}

std::string grouped(uint64_t number) {
  std::string text = std::to_string(number);
  for (size_t at = text.size(); at > 3; at -= 3) text.insert(at - 3, ",");
  return text;
}

std::string plural(uint64_t count, const char* one) {
  return fmt::format("{} {}{}", grouped(count), one, count == 1 ? "" : "s");
}

struct Unit {
  double ns;
  const char* name;
};
constexpr Unit kUnits[] = {{1e9, "s"}, {1e6, "ms"}, {1e3, "us"}, {1, "ns"}};

const Unit& unit_of(int64_t ns) {
  for (const Unit& unit : kUnits) {
    if (static_cast<double>(ns) >= unit.ns) return unit;
  }
  return kUnits[3];
}

/// Decimal places that give so many digits.
int places_for(double value, int digits) {
  const int before = value < 1 ? 1 : static_cast<int>(std::floor(std::log10(value))) + 1;
  return std::max(0, digits - before);
}

/// "41.82 s" with four digits, "62.0 us" with three.
std::string time(int64_t ns, int digits) {
  if (ns <= 0) return "0 s";
  const Unit& unit = unit_of(ns);
  const double value = static_cast<double>(ns) / unit.ns;
  const int places = unit.ns == 1 ? 0 : places_for(value, digits);
  return fmt::format("{:.{}f} {}", value, places, unit.name);
}

double share(int64_t part, int64_t whole) {
  return whole > 0 ? static_cast<double>(part) / static_cast<double>(whole) : 0;
}

/// "68 %", "4.1 %", "99.7 %": never 0 or 100 for what is not.
std::string percent(double of_one) {
  const double value = 100 * of_one;
  if (value <= 0 || value >= 100) return fmt::format("{:.0f} %", value);
  if (value < 0.1) return "<0.1 %";
  if (value > 99.9) return ">99.9 %";
  const bool is_middle = value >= 9.95 && value <= 99;
  return fmt::format("{:.{}f} %", value, is_middle ? 0 : 1);
}

/// Words on lines of the report's width, at most `most` of them; those after the first are
/// indented.
void add_wrapped(std::vector<std::string>& lines, const std::string& text, size_t most) {
  constexpr std::string_view kIndent = "  ";
  std::string line;
  size_t used = 0;
  size_t at = 0;
  while (at < text.size()) {
    const size_t begin = at;
    const size_t end = std::min(text.find(' ', at), text.size());
    const std::string word = text.substr(at, end - at);
    at = end + 1;
    if (!line.empty() && width_of(line) + 1 + width_of(word) > kReportWidth) {
      if (++used == most) {
        lines.push_back(cut(line + ' ' + text.substr(begin), kReportWidth));
        return;
      }
      lines.push_back(std::move(line));
      line = std::string(kIndent) + word;
    } else {
      if (!line.empty()) line += ' ';
      line += word;
    }
    line = cut(std::move(line), kReportWidth);
  }
  if (!line.empty()) lines.push_back(std::move(line));
}

class Text {
 public:
  explicit Text(const ReportData& data)
      : data_(&data), sums_(sums_of(data)), rows_(rows_of(sums_, kMostRows)) {}

  std::vector<std::string> in_short(std::string_view next) {
    add_header();
    if (!data_->too_short.empty()) return join_reason();
    add_in_one_line();
    add_losses();
    std::string more = "More";
    if (!data_->scope.empty()) more += " (" + name(data_->scope, 40) + ")";
    if (!data_->doubts.empty()) more += ", and " + plural(data_->doubts.size(), "doubt");
    more += ": ";
    add_next(more, next);
    return std::move(lines_);
  }

  std::vector<std::string> in_full(std::string_view next) {
    add_header();
    if (!data_->too_short.empty()) return join_reason();
    add_what();
    add_scope();
    add_verdict();
    std::vector<std::string> end;
    add_doubts(end);
    std::swap(lines_, end);
    if (!next.empty()) add_next("Next: ", next);
    std::swap(lines_, end);
    lines_.emplace_back();
    add_where();
    add_chain();
    add_phases();
    const size_t used = lines_.size() + end.size();
    if (used < kReportLines) add_kinds(kReportLines - used);
    lines_.insert(lines_.end(), end.begin(), end.end());
    return std::move(lines_);
  }

 private:
  void add(std::string line) { lines_.push_back(cut(std::move(line), kReportWidth)); }

  std::vector<std::string> join_reason() {
    lines_.resize(1);
    const std::string who = "perseid: " + name(data_->program, 20);
    return {cut(fmt::format("{}: {}", who, name(data_->too_short, kReportWidth)), kReportWidth)};
  }

  bool has_only_threads() const {
    return sums_.workers[static_cast<size_t>(WorkerKind::kOpenmpThread)] == sums_.all_workers;
  }
  const char* workers_noun() const { return has_only_threads() ? "threads" : "workers"; }

  /// "30 CPU + 2 CUDA workers", "8 threads".
  std::string workers() const {
    std::string text;
    for (size_t i = 0; i < kWorkerKinds; ++i) {
      if (sums_.workers[i] == 0) continue;
      if (!text.empty()) text += " + ";
      text += fmt::format("{} {}", sums_.workers[i], kWorkerKindNames[i].noun);
    }
    const char* const noun = has_only_threads() ? "thread" : "worker";
    return fmt::format("{} {}{}", text, noun, sums_.all_workers == 1 ? "" : "s");
  }

  void add_header() {
    std::string line = "perseid: " + name(data_->program.empty() ? "?" : data_->program, 24);
    if (!data_->job.empty()) line += ", job " + name(data_->job, 16);
    if (!data_->host.empty()) line += ", " + name(data_->host, 24);
    line += ": ";
    if (data_->ranks > 1) line += fmt::format("{} ranks, ", data_->ranks);
    line += workers();
    if (!data_->policy.empty()) line += ", StarPU " + name(data_->policy, 16);
    add(std::move(line));
  }

  double work_share() const { return share(sums_.all[Label::kWork], sums_.all.total()); }
  bool has_bound() const { return data_->bounds.best_ns > 0; }
  int64_t gain_ns() const { return std::max<int64_t>(0, data_->time_ns - data_->bounds.best_ns); }
  bool is_good() const {
    return has_bound() ? share(gain_ns(), data_->time_ns) <= kGood : work_share() >= 1 - kGood;
  }
  std::string near_bound() const {
    return fmt::format("ithin {} of the bound ({})", percent(share(gain_ns(), data_->time_ns)),
                       time(data_->bounds.best_ns, 3));
  }

  /// The first lines of the full text in one.
  void add_in_one_line() {
    const std::string work =
        fmt::format("{} of {} x {} was work", percent(work_share()),
                    plural(sums_.all_workers, has_only_threads() ? "thread" : "worker"),
                    time(data_->time_ns, 4));
    if (!has_bound()) {
      add(work + (is_good() ? ": little to gain by scheduling." : "."));
    } else if (is_good()) {
      add(fmt::format("{}; w{}.", work, near_bound()));
    } else {
      add(fmt::format("{}; no schedule can beat {}.", work, time(data_->bounds.best_ns, 3)));
    }
  }

  /// Where most of it is: "CUDA: 18.3 %", "most on CPU 7". "": everywhere.
  std::string place_of(const ReportRow& row) const {
    const int64_t all_ns = row.of(sums_.all);
    const double overall = share(all_ns, sums_.all.total());
    const WorkerTime* most = nullptr;
    for (const WorkerTime& worker : data_->workers) {
      if (most == nullptr || row.of(worker.labels) > row.of(most->labels)) most = &worker;
    }
    if (most != nullptr && data_->workers.size() > 2 && !most->name.empty() &&
        share(row.of(most->labels), all_ns) >
            std::max(0.4, 2.0 / static_cast<double>(data_->workers.size()))) {
      return "most on " + name(most->name, 16);
    }
    for (size_t i = 0; i < kWorkerKinds; ++i) {
      if (sums_.workers[i] == 0 || sums_.workers[i] == sums_.all_workers) continue;
      const double here = share(row.of(sums_.labels[i]), sums_.labels[i].total());
      if (here > 1.5 * overall || share(row.of(sums_.labels[i]), all_ns) > 0.9) {
        return fmt::format("{}: {}", kWorkerKindNames[i].heading, percent(here));
      }
    }
    return {};
  }

  /// The kind of task that has most to do with it. "": unknown.
  std::string culprit_of(const ReportRow& row) const {
    const Label label = row.labels.front();
    const auto most = [&](auto value) -> const KindStatistics* {
      const auto found = std::ranges::max_element(data_->kinds, {}, value);
      return found != data_->kinds.end() && (*found).*value > 0 ? &*found : nullptr;
    };
    const KindStatistics* kind = nullptr;
    if (label == Label::kDependencies) {
      kind = most(&KindStatistics::on_chain_ns);
      if (kind != nullptr) return "on the chain: " + name(kind->kind, 20);
      kind = most(&KindStatistics::wait_dependencies_ns);
    } else if (label == Label::kElsewhere || label == Label::kLatency) {
      kind = most(&KindStatistics::wait_queue_ns);
    }
    return kind != nullptr ? "waiting: " + name(kind->kind, 20) : std::string();
  }

  void add_losses() {
    size_t added = 0;
    for (const ReportRow& row : rows_) {
      const double lost = share(row.of(sums_.all), sums_.all.total());
      if (row.labels.front() == Label::kWork || lost < kWorthALine) continue;
      if (++added > 2) return;
      std::string line = fmt::format("Lost: {} {}", percent(lost), row.text);
      for (const std::string& more : {place_of(row), culprit_of(row)}) {
        if (more.empty() || width_of(line) + 2 + width_of(more) > kReportWidth) continue;
        line += "; " + more;
      }
      add(std::move(line));
    }
  }

  void add_next(const std::string& before, std::string_view next) {
    if (next.empty()) return;
    std::string line = before + std::string(next);
    if (width_of(line) > kReportWidth || printable(next) != next)
      line = cut(before + "perseid report with the file above", kReportWidth);
    lines_.push_back(std::move(line));
  }

  void add_what() {
    const std::string lost =
        data_->lost == 0 ? "nothing lost" : plural(data_->lost, "event") + " lost";
    const std::string work =
        fmt::format("{} of the {}' time was work.", percent(work_share()), workers_noun());
    const std::string ran = data_->tasks > 0 ? fmt::format("{} in {}", plural(data_->tasks, "task"),
                                                           time(data_->time_ns, 4))
                                             : time(data_->time_ns, 4);
    add(fmt::format("{}, {}. {}", ran, lost, work));
  }

  void add_scope() {
    if (!data_->scope.empty()) add("Scope: " + name(data_->scope, kReportWidth) + ".");
  }

  void add_verdict() {
    std::string line;
    if (!has_bound()) {
      const int64_t work_ns =
          sums_.all_workers > 0 ? sums_.all[Label::kWork] / static_cast<int64_t>(sums_.all_workers)
                                : 0;
      line = is_good() ? "Hardly any time was lost: little to gain by scheduling."
                       : fmt::format("Without any waiting it would take {}.", time(work_ns, 3));
    } else if (is_good()) {
      line = fmt::format("W{}: little to gain by scheduling.", near_bound());
    } else {
      line = fmt::format("No schedule of these tasks can be faster than {}: up to {} to gain.",
                         time(data_->bounds.best_ns, 3), time(gain_ns(), 3));
    }
    if (is_good() && !data_->kinds.empty()) {
      const KindStatistics& first = data_->kinds.front();
      const std::string most =
          fmt::format(" {} of the work: {}.", percent(work_of(first)), name(first.kind, 24));
      if (width_of(line + most) <= kReportWidth) line += most;
    }
    add(std::move(line));
  }

  void add_where() {
    std::vector<const LabelSums*> columns;
    std::string heading;
    for (size_t i = 0; i < kWorkerKinds; ++i) {
      if (sums_.workers[i] == 0 || sums_.workers[i] == sums_.all_workers) continue;
      columns.push_back(&sums_.labels[i]);
      heading += fmt::format("{:>8}", kWorkerKindNames[i].heading);
    }
    columns.push_back(&sums_.all);
    heading += fmt::format("{:>8}", "all");
    // All five kinds and the words of labels just fit.
    const size_t width = kReportWidth - 2 - 8 * columns.size();
    const std::string title = fmt::format(
        "Where {} x {} went", plural(sums_.all_workers, has_only_threads() ? "thread" : "worker"),
        time(data_->time_ns, 4));
    const size_t room = std::min<size_t>(width, 43);
    add(padded(cut(title, room), room) + heading);
    std::vector<std::vector<int64_t>> shares;
    for (const LabelSums* const column : columns) {
      std::vector<int64_t> parts;
      for (const ReportRow& row : rows_) parts.push_back(row.of(*column));
      shares.push_back(rounded_shares(parts, 1000));
    }
    for (size_t i = 0; i < rows_.size(); ++i) {
      std::string line = padded(cut("  " + std::string(rows_[i].text), room), room);
      for (const auto& column : shares) {
        line += fmt::format("{:>6}.{}", column[i] / 10, column[i] % 10);
      }
      add(i == 0 ? line + " %" : line);
    }
  }

  void add_chain() {
    int64_t total_ns = 0;
    for (const int64_t ns : data_->chain.ns) total_ns += ns;
    if (total_ns <= 0) return;
    const Unit& unit = unit_of(total_ns);
    const int places = unit.ns == 1 ? 0 : places_for(static_cast<double>(total_ns) / unit.ns, 3);
    const double scale = std::pow(10.0, places);
    const auto whole =
        static_cast<int64_t>(std::llround(static_cast<double>(total_ns) / unit.ns * scale));
    const std::vector<int64_t> shares =
        rounded_shares({data_->chain.ns.begin(), data_->chain.ns.end()}, whole);
    std::vector<size_t> order;
    for (size_t i = 0; i < kChainLabels; ++i) {
      if (shares[i] > 0) order.push_back(i);
    }
    std::ranges::stable_sort(order, std::ranges::greater{}, [&](size_t i) { return shares[i]; });
    const auto number = [&](int64_t value) {
      return fmt::format("{:.{}f}", static_cast<double>(value) / scale, places);
    };
    std::string line = "The run waited for: ";
    for (size_t i = 0; i < order.size(); ++i) {
      line += fmt::format("{}{} {}", i == 0 ? "" : ", ", kChainLabelNames[order[i]].text,
                          number(shares[order[i]]));
      if (i == 0) line += fmt::format(" {}", unit.name);
    }
    line += fmt::format(" (sum {}", number(whole));
    line += ')';
    int64_t work_ns = 0;
    for (const KindTime& kind : data_->chain.work) work_ns += kind.ns;
    for (size_t i = 0; i < std::min<size_t>(2, data_->chain.work.size()); ++i) {
      const KindTime& kind = data_->chain.work[i];
      line += fmt::format("{}{} {}", i == 0 ? "; of its tasks " : ", ", name(kind.kind, 20),
                          percent(share(kind.ns, work_ns)));
    }
    add_wrapped(lines_, line, 3);
  }

  void add_phases() {
    if (data_->phases.empty()) return;
    std::string line = "Phases:";
    bool is_first = true;
    for (const PhaseTime& phase : data_->phases) {
      LabelSums all;
      for (const LabelSums& labels : phase.labels) all += labels;
      line += fmt::format("{} {} {}, {} work", is_first ? "" : ";", name(phase.name, 24),
                          time(phase.time_ns, 3), percent(share(all[Label::kWork], all.total())));
      is_first = false;
    }
    add_wrapped(lines_, line, 2);
  }

  double work_of(const KindStatistics& kind) const {
    int64_t all_ns = 0;
    for (const KindStatistics& other : data_->kinds) all_ns += other.total_ns;
    return share(kind.total_ns, all_ns);
  }

  void add_kinds(size_t most) {
    if (data_->kinds.empty() || most < 2) return;
    std::vector<size_t> columns;
    for (size_t i = 0; i < kWorkerKinds && columns.size() < 3; ++i) {
      if (std::ranges::any_of(data_->kinds, [i](const auto& kind) { return kind.on[i].tasks > 0; }))
        columns.push_back(i);
    }
    int64_t chain_ns = 0;
    for (const KindStatistics& kind : data_->kinds) chain_ns += kind.on_chain_ns;
    // tasks, work %, p95/p50 and on chain take 11 + 8 + 9 + 10 columns, medians 11 + 9 + 9.
    const size_t width = std::min<size_t>(28, kReportWidth - 40 - 9 * columns.size());
    std::string heading = padded("Task", width) + fmt::format("{:>11}{:>8}", "tasks", "work %");
    for (size_t i = 0; i < columns.size(); ++i) {
      const std::string_view kind = kWorkerKindNames[columns[i]].heading;
      if (columns.size() == 1) {
        heading += fmt::format("{:>11}", "median");
      } else {
        heading += i == 0 ? fmt::format("{:>11}", fmt::format("median {}", kind))
                          : fmt::format("{:>9}", kind);
      }
    }
    heading += fmt::format("{:>9}", "p95/p50");
    if (chain_ns > 0) heading += fmt::format("{:>10}", "on chain");
    add(std::move(heading));
    const size_t room = std::min(most - 1, kMostKinds);
    const size_t shown = data_->kinds.size() <= room ? data_->kinds.size() : room - 1;
    for (size_t i = 0; i < shown; ++i) add_kind(data_->kinds[i], width, columns, chain_ns);
    if (shown < data_->kinds.size()) {
      add(fmt::format("  and {} more", data_->kinds.size() - shown));
    }
  }

  void add_kind(const KindStatistics& kind, size_t width, const std::vector<size_t>& columns,
                int64_t chain_ns) {
    std::string line = padded("  " + name(kind.kind, width - 3), width);
    line += fmt::format("{:>11}{:>8.1f}", grouped(kind.tasks), 100 * work_of(kind));
    for (const size_t i : columns) {
      const KindOnWorkers& on = kind.on[i];
      line += fmt::format("{:>{}}", on.tasks > 0 ? time(on.median_ns, 3) : "-",
                          i == columns.front() ? 11 : 9);
    }
    const KindOnWorkers& most = *std::ranges::max_element(kind.on, {}, &KindOnWorkers::tasks);
    line += fmt::format("{:>9}", most.median_ns > 0
                                     ? fmt::format("{:.1f}", share(most.p95_ns, most.median_ns))
                                     : "-");
    if (chain_ns > 0) line += fmt::format("{:>10}", percent(share(kind.on_chain_ns, chain_ns)));
    add(std::move(line));
  }

  void add_doubts(std::vector<std::string>& to) const {
    std::vector<std::string> texts;
    for (const Doubt& doubt : data_->doubts) texts.push_back(name(doubt.text, 200));
    if (!data_->chain.taint.empty()) {
      texts.push_back("what the run waited for: " + name(data_->chain.taint, 200));
    }
    if (texts.empty()) {
      to.emplace_back("Doubts: none.");
      return;
    }
    std::string line = "Doubts: ";
    for (size_t i = 0; i < texts.size(); ++i) line += (i == 0 ? "" : "; ") + texts[i];
    add_wrapped(to, line + ".", 3);
  }

  const ReportData* data_;
  WorkerSums sums_;
  std::vector<ReportRow> rows_;
  std::vector<std::string> lines_;
};

}  // namespace

bool has_report(const ReportData& data) noexcept {
  return !data.workers.empty() ||
         std::ranges::any_of(data.sums.workers, [](uint32_t count) { return count > 0; });
}

ReportLength report_length(std::string_view word, ReportLength otherwise) noexcept {
  if (word == "off") return ReportLength::kOff;
  if (word == "short") return ReportLength::kShort;
  return word == "full" ? ReportLength::kFull : otherwise;
}

std::string report_text(const ReportData& data, ReportLength length, std::string_view next) {
  if (length == ReportLength::kOff || !has_report(data)) return {};
  Text lines(data);
  std::string text;
  for (const std::string& line :
       length == ReportLength::kShort ? lines.in_short(next) : lines.in_full(next)) {
    text += line + '\n';
  }
  return text;
}

}  // namespace perseid
