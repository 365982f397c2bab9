// timeline/dump/dump.cpp: merges the streams, and prints what the options ask for.
#include "timeline/dump/dump.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "capture/reader.h"
#include "timeline/dump/record_text.h"
#include "timeline/sinks/selection.h"
#include "timeline/walk/decoder.h"
#include "timeline/walk/stream_merge.h"
#include "timeline/writers/printable.h"

namespace perseid {
namespace {

/// What is printed of a kind; looked up once, not for each record.
struct KindRow {
  const EventInfo* event = nullptr;
  std::string name;
  bool is_chosen = false;
};

class Dump {
 public:
  Dump(Capture& capture, const DumpOptions& options, const LineWriter& write)
      : capture_(&capture),
        options_(&options),
        write_(&write),
        text_(capture.strings(), capture.timebase()) {
    for (const StreamSource& source : capture.streams()) add_thread(source.info);
    size_t producers = 0;
    for (const EventTable& table : event_tables()) {
      producers = std::max(producers, static_cast<size_t>(table.producer) + 1);
    }
    kinds_.resize(producers << 8);
    for (size_t kind = 0; kind < kinds_.size(); ++kind) {
      const auto number = static_cast<uint16_t>(kind);
      kinds_[kind] = {find_event(number), kind_name(number), is_chosen(options.kinds, number)};
    }
  }

  DumpReport run() {
    Merge merge(*capture_);
    Timebase& timebase = capture_->timebase();
    while (report_.lines < options_->max_lines && merge.next()) {
      const int64_t at_ns = timebase.to_ns(merge.ticks());
      if (at_ns > options_->to_ns) break;
      if (at_ns < options_->from_ns || !threads_[merge.stream()].is_chosen) continue;
      const bool goes_on = merge.is_hole() ? print_hole(at_ns, merge) : print_record(at_ns, merge);
      if (!goes_on) break;
    }
    report_.damages = capture_->damages().count();
    return report_;
  }

 private:
  struct ThreadRow {
    std::string label;  // "3 \"CPU 0\""
    bool is_chosen = false;
  };

  template <class T>
  static bool is_chosen(const std::vector<T>& chosen, const T& one) {
    return chosen.empty() || std::ranges::find(chosen, one) != chosen.end();
  }

  void add_thread(const StreamInfo& info) {
    const std::string name = info.name != 0 ? std::string(capture_->strings().text(info.name))
                                            : fmt::format("thread {}", info.tid);
    const bool has_name = options_->threads.empty() || matches_any(options_->threads, name);
    threads_.push_back({fmt::format("{} {}", info.stream, quoted(name)),
                        has_name && is_chosen(options_->streams, info.stream)});
  }

  void begin_line(int64_t at_ns, size_t stream) {
    line_ = fmt::format("{} {} ", seconds_text(at_ns), threads_[stream].label);
  }
  bool end_line() {
    line_ += '\n';
    ++report_.lines;
    return (*write_)(line_);
  }

  bool print_hole(int64_t at_ns, const Merge& merge) {
    begin_line(at_ns, merge.stream());
    const Hole& hole = merge.hole();
    line_ += fmt::format("hole position={} bytes={} {}", hole.position, hole.bytes,
                         hole.is_overwritten ? "overwritten" : "unreadable");
    return end_line();
  }

  bool print_record(int64_t at_ns, const Merge& merge) {
    const RecordHeader& header = merge.record();
    const KindRow& kind = kinds_[header.kind];  // the cursor has refused unknown producers
    if (!kind.is_chosen) return true;
    begin_line(at_ns, merge.stream());
    line_ += kind.name;
    text_.append(line_, kind.event, header, merge.words());
    return end_line();
  }

  Capture* capture_;
  const DumpOptions* options_;
  const LineWriter* write_;
  RecordText text_;
  std::vector<ThreadRow> threads_;  // by index in capture.streams()
  std::vector<KindRow> kinds_;      // by kind
  std::string line_;
  DumpReport report_;
};

}  // namespace

Result<std::vector<uint16_t>> parse_kinds(std::string_view text) {
  std::vector<uint16_t> kinds;
  while (!text.empty()) {
    const size_t comma = std::min(text.find(','), text.size());
    const std::string_view name = text.substr(0, comma);
    text.remove_prefix(std::min(comma + 1, text.size()));
    const size_t before = kinds.size();
    for (const EventTable& table : event_tables()) {
      for (const EventInfo& event : table.events) {
        const uint16_t kind = make_kind(table.producer, event.index);
        if (name == table.name || name == kind_name(kind)) kinds.push_back(kind);
      }
    }
    if (kinds.size() == before) {
      return Error{
          fmt::format("unknown kind \"{}\"; `perseid check --schema` lists them", printable(name))};
    }
  }
  if (kinds.empty()) return Error{"no kind is given"};
  return kinds;
}

Result<DumpReport> dump_records(const std::string& path, const DumpOptions& options,
                                const LineWriter& write) {
  Result<std::unique_ptr<Capture>> opened = Capture::open(path, known_kinds());
  if (!opened) return Error{opened.error()};
  return Dump(**opened, options, write).run();
}

}  // namespace perseid
