// timeline/writers/json/json_writer.cpp: prints events.
#include "timeline/writers/json/json_writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "timeline/writers/json/flow_instants.h"
#include "timeline/writers/json/json_text.h"
#include "timeline/writers/json/json_value.h"
#include "timeline/writers/wait_colour.h"

namespace perseid {
namespace {

/// Room for everything of an event whose length does not depend on the program's texts.
constexpr size_t kEventBytes = 512;

std::string escape(std::string_view text) {
  ByteBuffer escaped;
  write_json_text(escaped, text);
  return std::string(escaped.view());
}

}  // namespace

JsonWriter::JsonWriter(ByteSink& sink) : out_(sink), sink_(&sink) {
  out_.reserve(kEventBytes);
  out_.literal("{\"traceEvents\":[\n");
}

void JsonWriter::process(const Process& process) {
  processes_.push_back({process, {}});
  if (process.pid == 0) processes_.back().process.pid = 1;
  by_pid_[processes_.back().process.pid] = &processes_.back();
}

JsonWriter::ProcessIds& JsonWriter::ids_of(uint32_t pid) {
  const auto found = by_pid_.find(pid);
  return found != by_pid_.end() ? *found->second : processes_.back();
}

void JsonWriter::track(const Track& track) {
  if (processes_.empty()) process(Process{track.pid, "", {}, 0, 0, 0});
  while (rows_.size() < track.id) rows_.emplace_back();
  rows_[track.id - 1].track = track;
  if (track.kind != TrackKind::kCounter) ids_of(track.pid).thread_ids.announce(track);
}

JsonWriter::Row& JsonWriter::ready(TrackId track) {
  Row& row = rows_[track - 1];
  if (row.place.empty()) [[unlikely]] {
    ProcessIds& ids = ids_of(row.track.pid);
    row.place = row.track.kind == TrackKind::kCounter
                    ? fmt::format(",\"pid\":{},\"ts\":", ids.process.pid)
                    : fmt::format(",\"pid\":{},\"tid\":{},\"ts\":", ids.process.pid,
                                  ids.thread_ids.of(track));
  }
  return row;
}

void JsonWriter::slice(const Slice& slice) {
  for (const FlowEnd& flow : slice.flows) {
    if (!needs_instant(slice, flow) || is_impossible(slice, flow)) continue;
    FlowEnd end;
    Row& row = ready(slice.track);
    const Slice instant = instant_for(slice, flow, end);
    const FinePlace fine = row.fine.place(instant);
    write_slice(out_, row, instant, fine, Form::kInstant);
    write_flows(out_, row, instant, fine);
  }
  write(slice);
}

void JsonWriter::write(const Slice& slice) {
  Row& row = ready(slice.track);
  const FinePlace fine = row.fine.place(slice);
  if (row.ties.is_quick(slice)) [[likely]] {
    row.is_innermost = true;
    write_slice(out_, row, slice, fine, Form::kComplete);
    if (!slice.flows.empty()) write_flows(out_, row, slice, fine);
  } else {
    write_held(row, slice, fine);
  }
}

/// Arrows find the innermost slice at their time. Where that would be the wrong one, for another
/// slice begins inside at the same time, both are printed apart, as a begin and an end.
void JsonWriter::write_held(Row& row, const Slice& slice, FinePlace fine) {
  TieOrder::Released released = row.ties.release(slice);
  out_.reserve(released.before.size());
  out_.text(released.before);
  row.is_innermost = released.inside.empty() && slice.begin_ns != slice.end_ns;
  if (slice.begin_ns == slice.end_ns) {
    piece_.clear();
    write_slice(piece_, row, slice, fine, slice.is_instant ? Form::kInstant : Form::kComplete);
    write_flows(piece_, row, slice, fine);
    return row.ties.hold(slice, std::string(piece_.view()));
  }
  const std::string flows = print_flows(row, slice, fine);  // once, though there may be two forms
  const bool must_be_apart = released.has_first_child && !slice.flows.empty();
  std::string apart;
  if (must_be_apart || slice.begins_with_parent)
    apart = print_apart(row, slice, fine, flows, released);
  std::string printed = must_be_apart ? apart : print_whole(row, slice, fine, flows, released);
  if (slice.begins_with_parent) {
    row.ties.hold(slice, std::move(printed), std::move(apart));
  } else {
    out_.reserve(printed.size());
    out_.text(printed);
  }
  row.ties.hold_after(slice, std::move(released.after));
}

std::string JsonWriter::print_flows(const Row& row, const Slice& slice, FinePlace fine) {
  piece_.clear();
  write_flows(piece_, row, slice, fine);
  return std::string(piece_.view());
}

std::string JsonWriter::print_whole(const Row& row, const Slice& slice, FinePlace fine,
                                    std::string_view flows, const TieOrder::Released& released) {
  piece_.clear();
  write_slice(piece_, row, slice, fine, Form::kComplete);
  piece_.reserve(flows.size() + released.inside.size());
  piece_.text(flows);
  piece_.text(released.inside);
  return std::string(piece_.view());
}

/// The end repeats the name: speedscope takes no end without it.
std::string JsonWriter::print_apart(const Row& row, const Slice& slice, FinePlace fine,
                                    std::string_view flows, const TieOrder::Released& released) {
  piece_.clear();
  write_slice(piece_, row, slice, fine, Form::kBegin);
  piece_.reserve(flows.size() + released.inside_apart.size() + kEventBytes);
  piece_.text(flows);
  piece_.text(released.inside_apart);
  piece_.literal("{\"ph\":\"E\",\"name\":\"");
  write_name(piece_, slice.name);
  piece_.literal("\",\"cat\":\"");
  write_name(piece_, slice.category);
  piece_.byte('"');
  piece_.text(row.place);
  piece_.microseconds(slice.end_ns, fine.end);
  piece_.literal("},\n");
  return std::string(piece_.view());
}

void JsonWriter::write_slice(ByteBuffer& to, const Row& row, const Slice& slice, FinePlace fine,
                             Form form) {
  if (slice.begin_ns == slice.end_ns) sources_.add_point(slice.track, slice.begin_ns);
  to.reserve(kEventBytes);
  switch (form) {
    case Form::kComplete:
      to.literal("{\"ph\":\"X\",\"name\":\"");
      break;
    case Form::kBegin:
      to.literal("{\"ph\":\"B\",\"name\":\"");
      break;
    case Form::kInstant:
      to.literal("{\"ph\":\"i\",\"s\":\"t\",\"name\":\"");
      break;
  }
  write_name(to, slice.name);
  to.literal("\",\"cat\":\"");
  write_name(to, slice.category);
  to.byte('"');
  to.text(row.place);
  to.microseconds(slice.begin_ns, fine.begin);
  if (form == Form::kComplete) {
    to.literal(",\"dur\":");
    to.microseconds(slice.end_ns - slice.begin_ns, fine.end - fine.begin);
  }
  // The palest of the names that every chrome://tracing knows; old ones refuse the file at others.
  if (is_quiet(slice)) to.literal(",\"cname\":\"thread_state_sleeping\"");
  if (!slice.arguments.empty()) write_arguments(to, slice.arguments);
  to.literal("},\n");
}

/// Leaves room for the rest of an event.
void JsonWriter::write_name(ByteBuffer& to, std::string_view text) {
  const uint32_t number = names_.number_of(text);
  if (number == NameTable::kNone) [[unlikely]] {
    write_json_text(to, text);
    to.reserve(kEventBytes);
    return;
  }
  while (escaped_.size() <= number) {
    escaped_.push_back(escape(names_.text(static_cast<uint32_t>(escaped_.size()))));
  }
  const std::string& escaped = escaped_[number];
  to.reserve(escaped.size() + kEventBytes);
  to.text(escaped);
}

void JsonWriter::write_arguments(ByteBuffer& to, std::span<const Argument> arguments) {
  to.literal(",\"args\":{\"");
  bool is_first = true;
  for (const Argument& argument : arguments) {
    if (!is_first) to.literal(",\"");
    is_first = false;
    write_name(to, argument.key);
    to.literal("\":");
    write_json_value(to, argument);
    to.reserve(kEventBytes);
  }
  to.byte('}');
}

/// The reader binds `s` and `f` to the innermost slice at their time, and loses an `f` that is
/// not after its `s`. Both are at the begin of their slice, right after it.
void JsonWriter::write_flows(ByteBuffer& to, const Row& row, const Slice& slice, FinePlace fine) {
  for (const FlowEnd& flow : slice.flows) {
    if (needs_instant(slice, flow) || is_impossible(slice, flow)) continue;
    if (flow.is_outgoing) {
      write_flow(to, true, row.place, slice.begin_ns, fine.begin, flow.id);
      for (const uint64_t fork :
           sources_.add({flow.id, slice.begin_ns, slice.track, fine.begin, row.is_innermost, 0})) {
        write_flow(to, true, row.place, slice.begin_ns, fine.begin, fork);
      }
    } else {
      const FlowSources::End end = sources_.end(flow.id);
      if (const FlowSource* const source = end.start_again) {
        write_flow(to, true, rows_[source->track - 1].place, source->begin_ns, source->hundredths,
                   end.id);
      }
      write_flow(to, false, row.place, slice.begin_ns, fine.begin, end.id);
    }
  }
}

void JsonWriter::write_flow(ByteBuffer& to, bool is_start, std::string_view place, int64_t at_ns,
                            int hundredths, uint64_t id) {
  to.reserve(kEventBytes);
  if (is_start) {
    to.literal("{\"ph\":\"s\",\"name\":\"flow\",\"cat\":\"flow\"");
  } else {
    to.literal("{\"ph\":\"f\",\"bp\":\"e\",\"name\":\"flow\",\"cat\":\"flow\"");
  }
  to.text(place);
  to.microseconds(at_ns, hundredths);
  to.literal(",\"id\":");
  write_json_id(to, id);
  to.literal("},\n");
}

void JsonWriter::counter(TrackId track, int64_t at_ns, double value) {
  if (!std::isfinite(value)) return;  // one such value and the trace processor never ends
  const Row& row = ready(track);
  const std::string_view unit = row.track.unit;
  std::string_view name = row.track.name;
  // Viewers show the series after the name: "ready" and "tasks" are "ready tasks" to them.
  if (!unit.empty() && name.size() > unit.size() + 1 && name.ends_with(unit) &&
      name[name.size() - unit.size() - 1] == ' ') {
    name.remove_suffix(unit.size() + 1);
  }
  out_.reserve(kEventBytes);
  out_.literal("{\"ph\":\"C\",\"name\":\"");
  write_name(out_, name);
  out_.byte('"');
  out_.text(row.place);
  out_.microseconds(at_ns);
  out_.literal(",\"args\":{\"");
  write_name(out_, unit.empty() ? "value" : unit);
  out_.literal("\":");
  out_.number(value);
  out_.literal("}},\n");
}

void JsonWriter::write_metadata(const char* what, uint32_t pid, uint32_t tid,
                                std::string_view name) {
  out_.reserve(kEventBytes);
  out_.literal("{\"ph\":\"M\",\"name\":\"");
  out_.text(what);
  out_.literal("\",\"pid\":");
  out_.number(pid);
  out_.literal(",\"tid\":");
  out_.number(tid);
  out_.literal(",\"args\":{\"name\":\"");
  write_json_text(out_, name.empty() ? "(no name)" : name);
  out_.reserve(kEventBytes);
  out_.literal("\"}},\n");
}

void JsonWriter::write_order(const char* what, uint32_t pid, uint32_t tid, uint32_t order) {
  out_.reserve(kEventBytes);
  out_.literal("{\"ph\":\"M\",\"name\":\"");
  out_.text(what);
  out_.literal("\",\"pid\":");
  out_.number(pid);
  out_.literal(",\"tid\":");
  out_.number(tid);
  out_.literal(",\"args\":{\"sort_index\":");
  out_.number(order);
  out_.literal("}}");
}

void JsonWriter::finish(const RunFacts& facts) {
  for (Row& row : rows_) {
    const std::string held = row.ties.take_all();
    out_.reserve(held.size());
    out_.text(held);
  }
  if (processes_.empty()) process(Process{1, "", {}, 0, 0, 0});
  std::unordered_map<const ProcessIds*, std::vector<const Track*>> shown_by;
  for (const Row& row : rows_) {
    if (row.track.id == 0 || row.track.kind == TrackKind::kCounter) continue;
    shown_by[&ids_of(row.track.pid)].push_back(&row.track);
  }
  uint32_t place = 0;
  for (ProcessIds& ids : processes_) {
    const uint32_t pid = ids.process.pid;
    if (place > 0) out_.literal(",\n");
    write_metadata("process_name", pid, pid, ids.process.name);
    write_order("process_sort_index", pid, pid, ++place);
    uint32_t order = 0;
    std::vector<const Track*>& shown = shown_by[&ids];
    std::sort(shown.begin(), shown.end(),
              [](const Track* a, const Track* b) { return is_shown_above(*a, *b); });
    for (const Track* track : shown) {
      const uint32_t tid = ids.thread_ids.of(track->id);
      out_.reserve(kEventBytes);
      out_.literal(",\n");
      write_metadata("thread_name", pid, tid, track->name);
      write_order("thread_sort_index", pid, tid, ++order);
    }
  }
  write_facts(facts);
  out_.flush();
  sink_->finish();
}

void JsonWriter::write_facts(const RunFacts& facts) {
  out_.reserve(kEventBytes);
  // Without the unit chrome://tracing nests slices by their microseconds.
  out_.literal("\n],\"displayTimeUnit\":\"ns\",\"otherData\":{");
  bool is_first = true;
  for (const Fact& fact : facts) {
    out_.reserve(kEventBytes);
    if (!is_first) out_.byte(',');
    is_first = false;
    out_.literal("\n\"");
    write_json_text(out_, fact.key);
    out_.reserve(kEventBytes);
    out_.literal("\":\"");
    write_json_text(out_, fact.value);
    out_.reserve(kEventBytes);
    out_.byte('"');
  }
  out_.reserve(kEventBytes + report_.size());
  out_.literal("\n}");
  if (!report_.empty()) {
    // On a line of its own: who looks for it need not read the events.
    out_.literal(",\n\"perseid_report\":");
    out_.text(report_);
  }
  out_.literal("}\n");
}

}  // namespace perseid
