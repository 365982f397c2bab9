// timeline/writers/pftrace_tracks.cpp: descriptors and the state of sequences.
#include "timeline/writers/pftrace_tracks.h"

#include <algorithm>

#include "timeline/writers/perfetto_fields.h"
#include "timeline/writers/utf8.h"

namespace perseid {
namespace {

using namespace perfetto;

constexpr size_t kDescriptorBytes = 512;  // without its texts
/// Sequence ids of four bytes at most: they are in every packet.
constexpr uint32_t kSequenceMask = (1u << 28) - 1;

uint64_t mix(uint64_t identity, uint64_t number) noexcept {
  uint64_t sum = identity ^ (number + 1) * 0x9e3779b97f4a7c15;
  sum = (sum ^ sum >> 30) * 0xbf58476d1ce4e5b9;
  sum ^= sum >> 27;
  return sum != 0 ? sum : 1;
}

uint32_t sequence_id(const Process& process, uint32_t number) noexcept {
  const uint64_t base = mix(process.identity, 0);
  const auto id = static_cast<uint32_t>(base + number) & kSequenceMask;
  return id != 0 ? id : kSequenceMask;
}

/// Numbers below this one are for the process and its groups.
constexpr uint64_t kFirstTrackNumber = 256;

const char* group_name(TrackGroup group) {
  switch (group) {
    case TrackGroup::kDevices:
      return "Devices";
    case TrackGroup::kMemory:
      return "Memory";
    case TrackGroup::kCounters:
      return "Counters";
    default:
      return "Lanes";
  }
}

/// The order of is_shown_above(), in a number that does not depend on other tracks: they may
/// appear later. The reader takes it from the first descriptor of a track only.
uint32_t rank_of(const Track& track) {
  // Some groups are ordered by two numbers, one in the upper half.
  const uint32_t order =
      track.order < 1u << 16 ? track.order : track.order >> 16 << 8 | (track.order & 0xff);
  constexpr uint32_t kMaxOrders = (1u << 20) - 1, kMaxRows = 63;
  return static_cast<uint32_t>(track.group) << 26 | std::min(order, kMaxOrders) << 6 |
         std::min(track.sub_lane, kMaxRows);
}

/// Next to threads is what reads as a thread: the summary, phases, and second rows of threads.
bool is_like_thread(const Track& track) {
  if (track.kind == TrackKind::kThread) return true;
  if (track.kind == TrackKind::kCounter) return false;
  return track.group == TrackGroup::kSummary || track.group == TrackGroup::kPhases ||
         track.group == TrackGroup::kSubmitters || track.group == TrackGroup::kWorkers ||
         track.group == TrackGroup::kThreads;
}

/// Rows of one lane have one name: the reader then draws them as one track, row below row.
std::string shared_name(const Track& track) {
  const size_t suffix = track.sub_lane > 0 ? track.name.rfind(" (") : std::string::npos;
  return track.name.substr(0, suffix);
}

}  // namespace

void PftraceTracks::add(const Process& process) {
  ProcessTree& tree = trees_.emplace_back();
  tree.place = static_cast<uint32_t>(trees_.size()) - 1;
  if (trees_.size() == 1) flow_base_ = mix(process.identity, 2);
  tree.process = process;
  if (tree.process.pid == 0) tree.process.pid = 1;
  tree.uuid = mix(process.identity, 1);
  tree.sequence = sequence_id(process, 0);
}

PftraceTracks::ProcessTree& PftraceTracks::tree_of(uint32_t pid) {
  for (auto tree = trees_.rbegin(); tree != trees_.rend(); ++tree) {
    if (tree->process.pid == pid) return *tree;
  }
  return trees_.back();
}

void PftraceTracks::add(const Track& track) {
  if (trees_.empty()) add(Process{track.pid, "", {}, 0, 0, 0});
  ProcessTree& tree = tree_of(track.pid);
  while (sequences_.size() < track.id) sequences_.emplace_back();
  TrackSequence& sequence = sequences_[track.id - 1];
  sequence.has_changed = sequence.is_described;
  sequence.track = track;
  sequence.uuid = mix(tree.process.identity, kFirstTrackNumber + track.id);
  sequence.sequence = sequence_id(tree.process, track.id);
  if (is_like_thread(track)) tree.thread_ids.announce(track);
}

/// The timeline's own clock starts at 0 with the session; the snapshot has when that was.
void PftraceTracks::write_clocks(const Process& process, uint32_t sequence, bool is_own) {
  const auto clock = [this](uint64_t id, int64_t ns) {
    const auto entry = out_->begin_message<clocks::kClock>();
    out_->unsigned_field<clocks::kId>(id);
    out_->unsigned_field<clocks::kTimestamp>(static_cast<uint64_t>(ns));
    out_->end_message(entry);
  };
  out_->reserve(kDescriptorBytes);
  const auto in_trace = out_->begin_message<trace::kPacket>();
  out_->unsigned_field<packet::kSequenceId>(sequence);
  const auto snapshot = out_->begin_message<packet::kClockSnapshot>();
  if (is_own) {
    clock(clocks::kOwn, 0);
    clock(clocks::kRealtime, process.start_real_ns);
  } else {
    // With a clock that no other file has: a reader takes snapshots of the same clocks for one
    // series and refuses it to go back, as it would where files are put one after the other.
    clock(clocks::kOwn, 0);
    clock(clocks::kRealtime, process.start_real_ns);
    clock(clocks::kMonotonic, process.start_mono_ns);
    clock(clocks::kBoottime, process.start_mono_ns);
  }
  out_->unsigned_field<clocks::kPrimary>(clocks::kRealtime);
  out_->end_message(snapshot);
  out_->end_message(in_trace);
}

void PftraceTracks::describe(ProcessTree& tree) {
  tree.is_described = true;
  if (!is_root_described_) {
    is_root_described_ = true;
    out_->reserve(kDescriptorBytes);
    const auto in_trace = out_->begin_message<trace::kPacket>();
    out_->unsigned_field<packet::kSequenceId>(tree.sequence);
    const auto root = out_->begin_message<packet::kTrackDescriptor>();
    out_->unsigned_field<descriptor::kUuid>(0);
    out_->unsigned_field<descriptor::kProcessOrdering>(descriptor::kExplicit);
    out_->unsigned_field<descriptor::kThreadOrdering>(descriptor::kExplicit);
    out_->end_message(root);
    out_->end_message(in_trace);
  }
  size_t text_bytes = tree.process.name.size();
  for (const std::string& label : tree.process.labels) text_bytes += label.size() + 8;
  if (tree.process.start_real_ns > 0) write_clocks(tree.process, tree.sequence, false);

  std::string scratch;
  out_->reserve(kDescriptorBytes + 3 * text_bytes);
  const auto in_trace = out_->begin_message<trace::kPacket>();
  out_->unsigned_field<packet::kSequenceId>(tree.sequence);
  out_->unsigned_field<packet::kSequenceFlags>(packet::kStateCleared);
  const auto track = out_->begin_message<packet::kTrackDescriptor>();
  out_->unsigned_field<descriptor::kUuid>(tree.uuid);
  const auto process = out_->begin_message<descriptor::kProcess>();
  out_->unsigned_field<process::kPid>(tree.process.pid);
  out_->text_field<process::kName>(repair_utf8(tree.process.name, scratch));
  for (const std::string& label : tree.process.labels) {
    out_->text_field<process::kLabel>(repair_utf8(label, scratch));
  }
  out_->end_message(process);
  out_->unsigned_field<descriptor::kChildOrdering>(descriptor::kByRank);
  out_->unsigned_field<descriptor::kRank>(tree.place);
  out_->end_message(track);
  out_->end_message(in_trace);
}

void PftraceTracks::describe_group(ProcessTree& tree, TrackGroup group) {
  const auto number = static_cast<uint32_t>(group);
  if ((tree.described_groups >> number & 1) != 0) return;
  tree.described_groups |= 1u << number;
  out_->reserve(kDescriptorBytes);
  const auto in_trace = out_->begin_message<trace::kPacket>();
  out_->unsigned_field<packet::kSequenceId>(tree.sequence);
  const auto track = out_->begin_message<packet::kTrackDescriptor>();
  out_->unsigned_field<descriptor::kUuid>(mix(tree.process.identity, 16 + number));
  out_->text_field<descriptor::kName>(group_name(group));
  out_->unsigned_field<descriptor::kParent>(tree.uuid);
  out_->unsigned_field<descriptor::kChildOrdering>(descriptor::kByRank);
  out_->unsigned_field<descriptor::kRank>(number);
  out_->end_message(track);
  out_->end_message(in_trace);
}

void PftraceTracks::describe(TrackSequence& sequence) {
  const Track& track = sequence.track;
  ProcessTree& tree = tree_of(track.pid);
  if (!tree.is_described) describe(tree);
  const bool is_thread = is_like_thread(track);
  if (!is_thread) describe_group(tree, track.group);
  sequence.is_described = true;
  sequence.has_changed = false;

  std::string scratch;
  std::string unit_scratch;
  std::string shown = is_thread ? track.name : shared_name(track);
  if (shown.empty()) shown = "(no name)";
  const std::string_view name = repair_utf8(shown, scratch);
  out_->reserve(kDescriptorBytes + name.size() + 3 * track.unit.size());
  const auto in_trace = out_->begin_message<trace::kPacket>();
  out_->unsigned_field<packet::kSequenceId>(tree.sequence);
  const auto described = out_->begin_message<packet::kTrackDescriptor>();
  out_->unsigned_field<descriptor::kUuid>(sequence.uuid);
  if (is_thread) {
    const auto thread = out_->begin_message<descriptor::kThread>();
    out_->unsigned_field<thread::kPid>(tree.process.pid);
    out_->unsigned_field<thread::kTid>(tree.thread_ids.of(track.id));
    out_->text_field<thread::kName>(name);
    out_->end_message(thread);
  } else {
    out_->text_field<descriptor::kName>(name);
    out_->unsigned_field<descriptor::kParent>(
        mix(tree.process.identity, 16 + static_cast<uint32_t>(track.group)));
  }
  if (track.kind == TrackKind::kCounter) {
    const auto counter = out_->begin_message<descriptor::kCounter>();
    if (track.unit == "bytes") {
      out_->unsigned_field<counter::kUnit>(counter::kBytes);
    } else if (!track.unit.empty()) {
      out_->text_field<counter::kUnitName>(repair_utf8(track.unit, unit_scratch));
    }
    out_->end_message(counter);
  }
  out_->unsigned_field<descriptor::kRank>(rank_of(track));
  out_->end_message(described);
  out_->end_message(in_trace);
}

void PftraceTracks::write_state(TrackSequence& to) {
  const bool is_first = !to.is_described;
  if (is_first || to.has_changed) describe(to);
  const Process& process = tree_of(to.track.pid).process;
  if (is_first && process.start_real_ns > 0) write_clocks(process, to.sequence, true);
  ++to.generation;
  to.packets = 0;
  out_->reserve(kDescriptorBytes);
  const auto in_trace = out_->begin_message<trace::kPacket>();
  out_->unsigned_field<packet::kSequenceId>(to.sequence);
  out_->unsigned_field<packet::kSequenceFlags>(packet::kStateCleared);
  const auto state = out_->begin_message<packet::kDefaults>();
  const auto event = out_->begin_message<defaults::kTrackEvent>();
  out_->unsigned_field<defaults::kTrackUuid>(to.uuid);
  out_->end_message(event);
  if (process.start_real_ns > 0) out_->unsigned_field<defaults::kClockId>(clocks::kOwn);
  out_->end_message(state);
  out_->end_message(in_trace);
}

void PftraceTracks::write_rest() {
  for (ProcessTree& tree : trees_) {
    if (!tree.is_described) describe(tree);
  }
  for (TrackSequence& sequence : sequences_) {
    if (sequence.track.id == 0) continue;
    if (!sequence.is_described || sequence.has_changed) describe(sequence);
  }
}

}  // namespace perseid
