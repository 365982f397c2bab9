// timeline/writers/pftrace.cpp: packets of slices, arrows and counters.
#include "timeline/writers/pftrace.h"

#include <algorithm>
#include <cmath>
#include <type_traits>
#include <variant>

#include "timeline/writers/json/flow_instants.h"
#include "timeline/writers/perfetto_fields.h"
#include "timeline/writers/utf8.h"

namespace perseid {
namespace {

using namespace perfetto;

constexpr size_t kEventBytes = 128;    // a packet without arguments, arrows and texts
constexpr size_t kArgumentBytes = 64;  // without its texts
constexpr size_t kArrowBytes = 96;     // two packets of an arrow that needs its own
constexpr size_t kWorstRepair = 6;     // U+FFFD for a byte, in two places

bool is_bound_here(const Slice& slice, const FlowEnd& flow) {
  return !flow.is_outgoing && !needs_instant(slice, flow) && !is_impossible(slice, flow);
}

/// Readers let instants at one time stack, and nothing else that has no length.
bool is_point(const Slice& slice) { return slice.begin_ns == slice.end_ns; }

/// Those of its begin and of its end.
size_t places_for_targets(const Slice& slice) { return is_point(slice) ? 1 : 2; }

size_t text_room(const Argument& argument) {
  const auto* const text = std::get_if<std::string_view>(&argument.value);
  return text != nullptr ? kWorstRepair * text->size() : 0;
}

}  // namespace

TrackSequence& PftraceWriter::ready(TrackId track) {
  TrackSequence& on = tracks_[track];
  // What is held back uses names of this state.
  if (on.generation == 0 || (on.packets >= kPacketsPerState && on.ties.is_empty())) [[unlikely]] {
    tracks_.write_state(on);
  }
  return on;
}

void PftraceWriter::slice(const Slice& slice) {
  for (const FlowEnd& flow : slice.flows) {
    if (flow.is_outgoing) {
      // Where an arrow can still begin a nanosecond later.
      if (slice.end_ns - slice.begin_ns > 1) sources_.put(flow.id, slice.track);
    } else if (needs_instant(slice, flow) && !is_impossible(slice, flow)) {
      FlowEnd end;
      const Slice instant = instant_for(slice, flow, end);
      TrackSequence& on = ready(slice.track);
      write_begin(out_, on, introduce(on, instant));
    }
  }
  write(slice);
}

void PftraceWriter::write(const Slice& slice) {
  TrackSequence& on = ready(slice.track);
  const Event event = introduce(on, slice);
  on.packets += 2;
  if (on.ties.is_quick(slice)) [[likely]] {
    write_begin(out_, on, event);
    write_end(out_, on, slice);
  } else {
    write_held(on, event);
  }
}

void PftraceWriter::write_held(TrackSequence& on, const Event& event) {
  const Slice& slice = event.slice;
  TieOrder::Released released = on.ties.release(slice);
  out_.reserve(released.before.size());
  out_.text(released.before);

  piece_.clear();
  write_begin(piece_, on, event);
  if (is_point(slice)) return on.ties.hold(slice, std::string(piece_.view()));
  piece_.reserve(released.inside.size());
  piece_.text(released.inside);
  if (slice.begins_with_parent) {
    on.ties.hold(slice, std::string(piece_.view()));
  } else {
    out_.reserve(piece_.view().size());
    out_.text(piece_.view());
  }
  write_end(out_, on, slice);
  on.ties.hold_after(slice, std::move(released.after));
}

template <uint32_t kKind>
void PftraceWriter::introduce_name(TrackSequence& on, std::vector<uint32_t>& written,
                                   uint32_t number) {
  if (number == NameTable::kNone) return;
  if (number < written.size() && written[number] == on.generation) [[likely]]
    return;
  if (number >= written.size()) written.resize(names_.size());
  written[number] = on.generation;
  const std::string_view text = repair_utf8(names_.text(number), scratch_);
  out_.reserve(kEventBytes + text.size());
  const auto in_trace = out_.begin_message<trace::kPacket>();
  out_.unsigned_field<packet::kSequenceId>(on.sequence);
  const auto data = out_.begin_message<packet::kInternedData>();
  const auto entry = out_.begin_message<kKind>();
  out_.unsigned_field<interned::kId>(number + 1);
  out_.text_field<interned::kText>(text);
  out_.end_message(entry);
  out_.end_message(data);
  out_.end_message(in_trace);
}

PftraceWriter::Event PftraceWriter::introduce(TrackSequence& on, const Slice& slice) {
  Event event{slice,
              names_.number_of(slice.name),
              names_.number_of(slice.category),
              NameTable::kNone,
              {},
              kEventBytes};
  introduce_name<interned::kNames>(on, on.names, event.name);
  introduce_name<interned::kCategories>(on, on.categories, event.category);
  if (event.name == NameTable::kNone) event.room += kWorstRepair * slice.name.size();
  if (event.category == NameTable::kNone) event.room += kWorstRepair * slice.category.size();
  keys_.clear();
  for (const Argument& argument : slice.arguments) {
    const uint32_t key = names_.number_of(argument.key);
    introduce_name<interned::kKeys>(on, on.keys, key);
    if (key == NameTable::kNone) event.room += kWorstRepair * argument.key.size();
    event.room += kArgumentBytes + text_room(argument);
    keys_.push_back(key);
  }
  if (is_quiet(slice)) {
    event.colour = quiet_colour_;
  } else if (!slice.colour.empty() && slice.colour != slice.name) {
    // One colour on all rows and in all runs, although the names differ.
    event.colour_text = slice.colour;
    event.colour = names_.number_of(slice.colour);
    if (event.colour == NameTable::kNone) event.room += kWorstRepair * slice.colour.size();
  }
  introduce_name<interned::kCorrelations>(on, on.colours, event.colour);
  event.room += kArrowBytes * slice.flows.size();
  return event;
}

void PftraceWriter::write_begin(ProtoBytes& to, TrackSequence& on, const Event& event) {
  const Slice& slice = event.slice;
  to.reserve(event.room);
  const auto in_trace = to.begin_message<trace::kPacket>();
  to.unsigned_field<packet::kTimestamp>(static_cast<uint64_t>(slice.begin_ns));
  to.unsigned_field<packet::kSequenceId>(on.sequence);
  const auto in_packet = to.begin_message<packet::kTrackEvent>();
  to.unsigned_field<event::kType>(is_point(slice) ? event::kInstant : event::kBegin);
  if (event.category != NameTable::kNone) {
    to.unsigned_field<event::kCategoryId>(event.category + 1);
  } else {
    to.text_field<event::kCategory>(repair_utf8(slice.category, scratch_));
  }
  if (event.name != NameTable::kNone) {
    to.unsigned_field<event::kNameId>(event.name + 1);
  } else {
    to.text_field<event::kName>(repair_utf8(slice.name, scratch_));
  }
  for (size_t i = 0; i < keys_.size(); ++i) write_argument(to, keys_[i], slice.arguments[i]);
  if (event.colour != NameTable::kNone) {
    to.unsigned_field<event::kCorrelationId>(event.colour + 1);
  } else if (!event.colour_text.empty()) {
    to.text_field<event::kCorrelation>(repair_utf8(event.colour_text, scratch_));
  }
  if (!slice.flows.empty()) write_flows(to, slice);
  to.end_message(in_packet);
  to.end_message(in_trace);
  if (slice.flows.size() > 1) write_far_flows(to, on, slice);
}

void PftraceWriter::write_end(ProtoBytes& to, TrackSequence& on, const Slice& slice) {
  to.reserve(kEventBytes);
  const auto in_trace = to.begin_message<trace::kPacket>();
  to.unsigned_field<packet::kTimestamp>(static_cast<uint64_t>(slice.end_ns));
  to.unsigned_field<packet::kSequenceId>(on.sequence);
  const auto in_packet = to.begin_message<packet::kTrackEvent>();
  to.unsigned_field<event::kType>(event::kEnd);
  if (slice.flows.size() > 1) write_second_target(to, slice);
  to.end_message(in_packet);
  to.end_message(in_trace);
}

void PftraceWriter::write_argument(ProtoBytes& to, uint32_t key, const Argument& argument) {
  const auto in_event = to.begin_message<event::kAnnotation>();
  if (key != NameTable::kNone) {
    to.unsigned_field<annotation::kKeyId>(key + 1);
  } else {
    to.text_field<annotation::kKey>(repair_utf8(argument.key, scratch_));
  }
  std::visit(
      [&](const auto& value) {
        using Value = std::decay_t<decltype(value)>;
        if constexpr (std::is_same_v<Value, bool>) {
          to.unsigned_field<annotation::kBool>(value ? 1 : 0);
        } else if constexpr (std::is_same_v<Value, int64_t>) {
          to.signed_field<annotation::kSigned>(value);
        } else if constexpr (std::is_same_v<Value, uint64_t>) {
          to.unsigned_field<annotation::kUnsigned>(value);
        } else if constexpr (std::is_same_v<Value, double>) {
          if (std::isfinite(value)) {
            to.double_field<annotation::kDouble>(value);
          } else {  // as JSON must write it
            to.text_field<annotation::kText>(std::isnan(value) ? "nan"
                                             : value > 0       ? "inf"
                                                               : "-inf");
          }
        } else if constexpr (std::is_same_v<Value, Pointer>) {
          to.unsigned_field<annotation::kPointer>(value.address);
        } else {
          to.text_field<annotation::kText>(repair_utf8(value, scratch_));
        }
      },
      argument.value);
  to.end_message(in_event);
}

/// An arrow's source names its id; any number of targets may bind to it. A packet has room for
/// one target, so the first goes with the begin, the second with the end.
void PftraceWriter::write_flows(ProtoBytes& to, const Slice& slice) {
  size_t bound = 0;
  for (const FlowEnd& flow : slice.flows) {
    if (flow.is_outgoing) {
      to.fixed64_field<event::kFlowId>(tracks_.flow_id(flow.id));
    } else if (is_bound_here(slice, flow)) {
      ++bound;
      if (bound == 1) write_target(to, flow);
      // The arrow's source is unknown, or too short: it is right, but later ones of the same id
      // will seem to come from here.
      if (bound > places_for_targets(slice) && !knows_source(flow)) {
        to.fixed64_field<event::kFlowId>(tracks_.flow_id(flow.id));
      }
    }
  }
}

void PftraceWriter::write_target(ProtoBytes& to, const FlowEnd& flow) {
  const auto in_event = to.begin_message<event::kLegacy>();
  to.unsigned_field<legacy::kBindId>(tracks_.flow_id(flow.id));
  to.unsigned_field<legacy::kFlowDirection>(legacy::kFlowIn);
  to.end_message(in_event);
}

void PftraceWriter::write_second_target(ProtoBytes& to, const Slice& slice) {
  size_t bound = 0;
  for (const FlowEnd& flow : slice.flows) {
    if (is_bound_here(slice, flow) && ++bound == 2) write_target(to, flow);
  }
}

/// From the third on, a target has a pair of packets with an id of its own: one that begins at
/// the source, a nanosecond after its begin, and one that ends here.
void PftraceWriter::write_far_flows(ProtoBytes& to, const TrackSequence& on, const Slice& slice) {
  size_t bound = 0;
  for (const FlowEnd& flow : slice.flows) {
    if (!is_bound_here(slice, flow) || ++bound <= places_for_targets(slice)) continue;
    const TrackId* const source = sources_.find(flow.id);
    if (source == nullptr) continue;
    ++far_flows_;
    write_legacy_flow(to, on, tracks_[*source].uuid,
                      std::min(flow.source_begin_ns + 1, slice.begin_ns), 's');
    write_legacy_flow(to, on, on.uuid, slice.begin_ns, 'f');
  }
}

void PftraceWriter::write_legacy_flow(ProtoBytes& to, const TrackSequence& on, uint64_t uuid,
                                      int64_t at_ns, char phase) {
  const auto in_trace = to.begin_message<trace::kPacket>();
  to.unsigned_field<packet::kTimestamp>(static_cast<uint64_t>(at_ns));
  to.unsigned_field<packet::kSequenceId>(on.sequence);
  const auto in_packet = to.begin_message<packet::kTrackEvent>();
  to.unsigned_field<event::kTrackUuid>(uuid);
  const auto in_event = to.begin_message<event::kLegacy>();
  to.unsigned_field<legacy::kPhase>(static_cast<uint64_t>(phase));
  to.unsigned_field<legacy::kUnscopedId>(tracks_.flow_id(far_flows_));
  if (phase == 'f') to.unsigned_field<legacy::kBindToEnclosing>(1);
  to.end_message(in_event);
  to.end_message(in_packet);
  to.end_message(in_trace);
}

void PftraceWriter::counter(TrackId track, int64_t at_ns, double value) {
  if (!std::isfinite(value)) return;  // as in JSON
  TrackSequence& on = ready(track);
  ++on.packets;
  out_.reserve(kEventBytes);
  const auto in_trace = out_.begin_message<trace::kPacket>();
  out_.unsigned_field<packet::kTimestamp>(static_cast<uint64_t>(at_ns));
  out_.unsigned_field<packet::kSequenceId>(on.sequence);
  const auto in_packet = out_.begin_message<packet::kTrackEvent>();
  out_.unsigned_field<event::kType>(event::kCounter);
  constexpr double kExact = 9007199254740992;  // 2^53
  if (std::abs(value) < kExact && value == std::floor(value)) {
    out_.signed_field<event::kCounterValue>(static_cast<int64_t>(value));
  } else {
    out_.double_field<event::kDoubleCounterValue>(value);
  }
  out_.end_message(in_packet);
  out_.end_message(in_trace);
}

void PftraceWriter::report(std::string_view json) {
  out_.reserve(kEventBytes + json.size());
  const auto in_trace = out_.begin_message<trace::kPacket>();
  out_.text_field<packet::kReport>(json);
  out_.end_message(in_trace);
}

void PftraceWriter::finish(const RunFacts&) {
  for (TrackId id = 1; id <= tracks_.size(); ++id) {
    const std::string held = tracks_[id].ties.take_all();
    out_.reserve(held.size());
    out_.text(held);
  }
  tracks_.write_rest();
  out_.flush();
  sink_->finish();
}

}  // namespace perseid
