// timeline/writers/json.cpp: prints events.
#include "timeline/writers/json.h"

#include <algorithm>
#include <cmath>
#include <type_traits>
#include <variant>

#include "timeline/writers/json_text.h"

namespace perseid {
namespace {

/// Room for everything of an event whose length does not depend on the program's texts.
constexpr size_t kEventBytes = 512;

}  // namespace

JsonWriter::JsonWriter(OutputFile& file) : out_(file) {
  out_.reserve(kEventBytes);
  out_.literal("{\"traceEvents\":[\n");
}

void JsonWriter::begin_event() {
  out_.reserve(kEventBytes);
  if (!is_first_) out_.literal(",\n");
  is_first_ = false;
}

void JsonWriter::process(const Process& process) {
  process_ = process;
  if (process_.pid == 0) process_.pid = 1;
}

void JsonWriter::track(const Track& track) {
  if (tracks_.size() < track.id) tracks_.resize(track.id);
  tracks_[track.id - 1] = track;
  thread_ids_.announce(track);
}

void JsonWriter::write_place(TrackId track, int64_t at_ns) {
  out_.literal("\",\"pid\":");
  out_.number(process_.pid);
  out_.literal(",\"tid\":");
  out_.number(thread_ids_.of(track));
  out_.literal(",\"ts\":");
  out_.microseconds(at_ns);
}

void JsonWriter::slice(const Slice& slice) {
  begin_event();
  if (slice.is_instant) {
    out_.literal("{\"ph\":\"i\",\"s\":\"t\",\"name\":\"");
  } else {
    out_.literal("{\"ph\":\"X\",\"name\":\"");
  }
  write_json_text(out_, slice.name);
  out_.reserve(kEventBytes);
  out_.literal("\",\"cat\":\"");
  write_json_text(out_, slice.category);
  out_.reserve(kEventBytes);
  write_place(slice.track, slice.begin_ns);
  if (!slice.is_instant) {
    out_.literal(",\"dur\":");
    out_.microseconds(slice.end_ns - slice.begin_ns);
  }
  if (!slice.arguments.empty()) write_arguments(slice.arguments);
  out_.byte('}');
  for (const FlowEnd& flow : slice.flows) write_flow(slice, flow);
}

/// The reader binds `s` to the innermost slice at its time, and loses an `f` that is not after
/// its `s`. Both therefore stand at the begin of their slice; where the target began first, a
/// moment inside it takes the arrow.
void JsonWriter::write_flow(const Slice& slice, const FlowEnd& flow) {
  int64_t at_ns = slice.begin_ns;
  if (!flow.is_outgoing && slice.begin_ns <= flow.source_begin_ns) {
    at_ns = std::clamp(std::max(flow.at_ns, flow.source_begin_ns + 1), slice.begin_ns,
                       std::max(slice.begin_ns, slice.end_ns));
    begin_event();
    out_.literal("{\"ph\":\"X\",\"name\":\"flow\",\"cat\":\"flow");
    write_place(slice.track, at_ns);
    out_.literal(",\"dur\":0.000}");
  }
  begin_event();
  if (flow.is_outgoing) {
    out_.literal("{\"ph\":\"s\",\"name\":\"flow\",\"cat\":\"flow");
  } else {
    out_.literal("{\"ph\":\"f\",\"bp\":\"e\",\"name\":\"flow\",\"cat\":\"flow");
  }
  write_place(slice.track, at_ns);
  out_.literal(",\"id\":");
  out_.number(flow.id);
  out_.byte('}');
}

void JsonWriter::write_arguments(std::span<const Argument> arguments) {
  out_.literal(",\"args\":{");
  bool is_first = true;
  for (const Argument& argument : arguments) {
    out_.reserve(kEventBytes);
    if (!is_first) out_.byte(',');
    is_first = false;
    out_.byte('"');
    write_json_text(out_, argument.key);
    out_.reserve(kEventBytes);
    out_.literal("\":");
    write_argument(argument);
  }
  out_.reserve(kEventBytes);
  out_.byte('}');
}

void JsonWriter::write_argument(const Argument& argument) {
  std::visit(
      [this](const auto& value) {
        using Value = std::decay_t<decltype(value)>;
        if constexpr (std::is_same_v<Value, bool>) {
          out_.text(value ? "true" : "false");
        } else if constexpr (std::is_same_v<Value, int64_t>) {
          out_.number(value);
        } else if constexpr (std::is_same_v<Value, uint64_t>) {
          // Above 2^63 - 1 Perfetto would read -1.0.
          const bool is_quoted = value > static_cast<uint64_t>(INT64_MAX);
          if (is_quoted) out_.byte('"');
          out_.number(value);
          if (is_quoted) out_.byte('"');
        } else if constexpr (std::is_same_v<Value, double>) {
          if (std::isfinite(value)) {
            out_.number(value);
          } else {
            out_.text(std::isnan(value) ? "\"nan\"" : value > 0 ? "\"inf\"" : "\"-inf\"");
          }
        } else if constexpr (std::is_same_v<Value, Pointer>) {
          out_.literal("\"0x");
          out_.hexadecimal(value.address);
          out_.byte('"');
        } else {
          out_.byte('"');
          write_json_text(out_, value);
          out_.reserve(kEventBytes);
          out_.byte('"');
        }
      },
      argument.value);
}

void JsonWriter::counter(TrackId track, int64_t at_ns, double value) {
  if (!std::isfinite(value)) return;  // one such value and the trace processor never ends
  begin_event();
  out_.literal("{\"ph\":\"C\",\"name\":\"");
  write_json_text(out_, tracks_[track - 1].name);
  out_.reserve(kEventBytes);
  out_.literal("\",\"pid\":");
  out_.number(process_.pid);
  out_.literal(",\"ts\":");
  out_.microseconds(at_ns);
  out_.literal(",\"args\":{\"value\":");
  out_.number(value);
  out_.literal("}}");
}

void JsonWriter::write_metadata(const char* what, uint32_t tid, std::string_view name) {
  begin_event();
  out_.literal("{\"ph\":\"M\",\"name\":\"");
  out_.text(what);
  out_.literal("\",\"pid\":");
  out_.number(process_.pid);
  out_.literal(",\"tid\":");
  out_.number(tid);
  out_.literal(",\"args\":{\"name\":\"");
  write_json_text(out_, name.empty() ? "(no name)" : name);
  out_.reserve(kEventBytes);
  out_.literal("\"}}");
}

void JsonWriter::write_order(const char* what, uint32_t tid, uint32_t order) {
  begin_event();
  out_.literal("{\"ph\":\"M\",\"name\":\"");
  out_.text(what);
  out_.literal("\",\"pid\":");
  out_.number(process_.pid);
  out_.literal(",\"tid\":");
  out_.number(tid);
  out_.literal(",\"args\":{\"sort_index\":");
  out_.number(order);
  out_.literal("}}");
}

void JsonWriter::finish(const RunFacts& facts) {
  write_metadata("process_name", process_.pid, process_.name);
  write_order("process_sort_index", process_.pid, 1);
  std::sort(tracks_.begin(), tracks_.end(), is_shown_above);
  uint32_t order = 0;
  for (const Track& track : tracks_) {
    if (track.id == 0 || track.kind == TrackKind::kCounter) continue;
    write_metadata("thread_name", thread_ids_.of(track.id), track.name);
    write_order("thread_sort_index", thread_ids_.of(track.id), ++order);
  }

  out_.reserve(kEventBytes);
  out_.literal("\n],\"otherData\":{");
  bool is_first = true;
  for (const auto& [key, value] : facts) {
    out_.reserve(kEventBytes);
    if (!is_first) out_.byte(',');
    is_first = false;
    out_.literal("\n\"");
    write_json_text(out_, key);
    out_.reserve(kEventBytes);
    out_.literal("\":\"");
    write_json_text(out_, value);
    out_.reserve(kEventBytes);
    out_.byte('"');
  }
  out_.reserve(kEventBytes);
  out_.literal("\n}}\n");
  out_.flush();
}

}  // namespace perseid
