// timeline/check/timeline_check.cpp: reads a written timeline file and counts what is in it.
#include "timeline/check/timeline_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "timeline/check/json_reader.h"
#include "timeline/check/plain_file.h"
#include "timeline/export/job_rows.h"
#include "timeline/sinks/run_row.h"

namespace perseid {
namespace {

const char* phase_name(char phase) {
  switch (phase) {
    case 'X':
      return "slices";
    case 'i':
      return "instants";
    case 'C':
      return "counter samples";
    case 's':
      return "flow starts";
    case 'f':
      return "flow ends";
    case 'M':
      return "names and places";
    default:
      return "others";
  }
}

uint64_t to_number(std::string_view text) {
  uint64_t value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

/// Follows the two parts of the file that matter: events, and the facts after them.
class TimelineVisitor final : public JsonVisitor {
 public:
  explicit TimelineVisitor(CheckReport& report) : report_(&report) {}

  void begin(bool) override {
    ++depth_;
    if (depth_ == 1 || (depth_ == 2 && part_ != Part::kEvents)) return;
    if (part_ == Part::kEvents && depth_ == 3) event_ = Event{};
  }
  void end(bool) override {
    if (part_ == Part::kEvents && depth_ == 3) count_event();
    if (part_ == Part::kEvents && depth_ == 4) in_args_ = false;
    if (--depth_ == 1) part_ = Part::kOther;
  }
  void key(std::string_view name) override {
    key_ = name;
    if (depth_ == 1) {
      part_ = name == "traceEvents" ? Part::kEvents
              : name == "otherData" ? Part::kFacts
                                    : Part::kOther;
      has_events_ = has_events_ || part_ == Part::kEvents;
    }
    if (part_ == Part::kEvents && depth_ == 3) in_args_ = name == "args";
  }
  void text(std::string_view value) override {
    if (part_ == Part::kFacts && depth_ == 2) report_->facts.emplace_back(key_, std::string(value));
    if (part_ != Part::kEvents) return;
    if (depth_ == 3 && key_ == "ph" && value.size() == 1) event_.phase = value[0];
    if (depth_ == 3 && key_ == "name") event_.name = value;
    if (depth_ == 4 && in_args_ && key_ == "name") event_.named = value;
  }
  void number(std::string_view digits) override {
    if (part_ != Part::kEvents) return;
    if (depth_ == 3 && key_ == "pid") event_.pid = to_number(digits);
    if (depth_ == 3 && key_ == "tid") event_.tid = to_number(digits);
    if (depth_ == 3 && key_ == "ts") event_.has_time = !digits.starts_with('-');
    if (depth_ == 3 && key_ == "dur") event_.has_duration = !digits.starts_with('-');
    if (depth_ == 4 && in_args_ && key_ == "sort_index") event_.order = to_number(digits);
  }
  void word(std::string_view) override {}

  bool has_events() const noexcept { return has_events_; }

  void finish() {
    for (const auto& [phase, count] : phases_) {
      report_->kinds.emplace_back(phase_name(phase), count);
    }
    using Place = std::tuple<uint64_t, uint64_t, LaneKey>;  // of its process, in it
    std::vector<std::pair<Place, const Lane*>> shown;
    for (const auto& [key, lane] : lanes_) {
      const uint64_t order = lane.order != 0 ? lane.order : UINT64_MAX;  // without a place: last
      shown.push_back({{process_orders_[key.first], order, key}, &lane});
    }
    std::ranges::sort(shown);
    for (const auto& [place, lane] : shown) report_->lanes.push_back(lane->count);
    for (const auto& [name, samples] : counters_) {
      report_->lanes.push_back({name, 0, 0, samples});
    }
  }

 private:
  enum class Part : uint8_t { kOther, kEvents, kFacts };
  using LaneKey = std::pair<uint64_t, uint64_t>;  // process, thread
  struct Event {
    char phase = 0;
    std::string name;
    std::string named;  // what a metadata event calls its thread
    uint64_t pid = 0;
    uint64_t tid = 0;
    uint64_t order = 0;
    bool has_time = false;
    bool has_duration = false;
  };
  struct Lane {
    CheckReport::LaneCount count;
    uint64_t order = 0;
  };

  void count_event() {
    if (event_.phase == 'E') return;  // its begin is counted
    ++phases_[event_.phase == 'B' ? 'X' : event_.phase];
    const bool is_metadata = event_.phase == 'M';
    if (event_.phase == 0 || (!is_metadata && !event_.has_time) ||
        (event_.phase == 'X' && !event_.has_duration)) {
      ++report_->damages;
      if (report_->damage_texts.size() < 20) {
        report_->damage_texts.push_back(
            fmt::format("event \"{}\" has no time that Perfetto would take", event_.name));
      }
      return;
    }
    const LaneKey lane{event_.pid, event_.tid};
    if (event_.phase == 'X' || event_.phase == 'B') ++lanes_[lane].count.slices;
    if (event_.phase == 'i') ++lanes_[lane].count.instants;
    if (event_.phase == 'C') ++counters_[event_.name];
    if (!is_metadata) return;
    if (event_.name == "thread_name") lanes_[lane].count.name = event_.named;
    if (event_.name == "thread_sort_index") lanes_[lane].order = event_.order;
    if (event_.name == "process_sort_index") process_orders_[event_.pid] = event_.order;
  }

  CheckReport* report_;
  size_t depth_ = 0;
  Part part_ = Part::kOther;
  std::string key_;
  bool in_args_ = false;
  bool has_events_ = false;
  Event event_;
  std::map<char, uint64_t> phases_;
  std::map<LaneKey, Lane> lanes_;
  std::map<uint64_t, uint64_t> process_orders_;  // by pid
  std::map<std::string, uint64_t> counters_;
};

/// Only whether it is a timeline.
class QuietVisitor final : public JsonVisitor {
 public:
  void begin(bool) override { ++depth_; }
  void end(bool) override { --depth_; }
  void key(std::string_view name) override {
    has_events_ = has_events_ || (depth_ == 1 && name == "traceEvents");
  }
  void text(std::string_view) override {}
  void number(std::string_view) override {}
  void word(std::string_view) override {}

  bool has_events() const noexcept { return has_events_; }

 private:
  size_t depth_ = 0;
  bool has_events_ = false;
};

template <class Visitor>
Result<bool> scan_json(const File& file, const std::string& path, Visitor& visitor) {
  if (const Result<bool> whole = read_json(file, visitor); !whole) {
    return Error{fmt::format("{} is not a whole JSON file: {}", path, whole.error())};
  }
  if (!visitor.has_events()) {
    return Error{fmt::format("{} is not a timeline: it has no \"traceEvents\"", path)};
  }
  return true;
}

}  // namespace

bool has_packets(const File& file) {
  char first = 0;
  // The first byte of every packet, and of no JSON text of ours.
  return file.read_at(0, &first, 1) == 1 && first == '\n';
}

void check_facts(CheckReport& report) {
  report.file_damages = report.damages;
  for (const auto& [key, value, scope] : report.facts) {
    if (key == "lost" || key == "nested" || key == "names_lost") report.lost += to_number(value);
    if (key == "kept") report.kept = value;
    if (key == "damages") report.damages += to_number(value);
    if (key.starts_with("damage_")) report.damage_texts.push_back(value);
  }
  std::erase_if(report.facts, [](const Fact& fact) { return fact.key.starts_with("damage"); });
  // The row that carries the facts was not recorded.
  if (!report.lanes.empty() &&
      (report.lanes.front().name == kRunRowName || report.lanes.front().name == kJobLaneName)) {
    report.lanes.erase(report.lanes.begin());
  }
}

Result<CheckReport> check_json(const File& file, const std::string& path) {
  CheckReport report;
  report.title = fmt::format("timeline {}", path);
  TimelineVisitor visitor(report);
  if (const Result<bool> sound = scan_json(file, path, visitor); !sound)
    return Error{sound.error()};
  visitor.finish();
  check_facts(report);
  return report;
}

Result<CheckReport> check_timeline(const std::string& path) {
  const Result<File> file = open_plain(path);
  if (!file) return Error{file.error()};
  return has_packets(*file) ? check_pftrace(*file, path) : check_json(*file, path);
}

Result<bool> validate_timeline(const File& file, const std::string& path) {
  if (!has_packets(file)) {
    QuietVisitor visitor;
    return scan_json(file, path, visitor);
  }
  const Result<CheckReport> report = check_pftrace(file, path);
  if (!report) return Error{report.error()};
  if (report->file_damages == 0) return true;
  return Error{fmt::format("{} is damaged: {}", path, report->damage_texts.front())};
}

}  // namespace perseid
