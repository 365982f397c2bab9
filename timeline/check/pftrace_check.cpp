// timeline/check/pftrace_check.cpp: reads a protobuf timeline and counts what is in it.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "timeline/check/proto_reader.h"
#include "timeline/check/timeline_check.h"
#include "timeline/export/job_rows.h"
#include "timeline/sinks/run_row.h"
#include "timeline/writers/perfetto_fields.h"

namespace perseid {
namespace {

using namespace perfetto;

constexpr size_t kBlockBytes = 1 << 20;
constexpr size_t kLargestPacket = 1 << 28;
constexpr size_t kMaxDamageTexts = 20;

class PacketCounter {
 public:
  explicit PacketCounter(CheckReport& report) : report_(&report) {}

  /// False if it is no packet that a reader would understand.
  bool packet(std::string_view bytes) {
    uint64_t sequence = 0;
    std::string_view event;
    bool is_sound = true;
    ProtoReader field(bytes);
    while (field.next()) {
      if (is_message_of_ours(field.number())) is_sound = is_sound && is_message(field.bytes());
      switch (field.number()) {
        case packet::kSequenceId:
          sequence = field.value();
          break;
        case packet::kTrackEvent:
          event = field.bytes();
          break;
        case packet::kTrackDescriptor:
          describe(field.bytes());
          break;
        case packet::kDefaults:
          set_defaults(field.bytes(), sequences_[sequence]);
          break;
        case packet::kInternedData:
          remember_keys(field.bytes(), sequences_[sequence]);
          break;
        default:
          break;
      }
    }
    if (!event.empty()) count(event, sequences_[sequence]);
    return is_sound && field.is_sound();
  }

  void finish() {
    const auto kind = [this](const char* name, uint64_t count) {
      if (count > 0) report_->kinds.emplace_back(name, count);
    };
    kind("slices", slices_);
    kind("instants", instants_);
    kind("counter samples", samples_);
    kind("flow starts", flow_starts_);
    kind("flow ends", flow_ends_);
    std::vector<const Lane*> shown;
    for (const auto& [uuid, lane] : lanes_) {
      if (lane.is_row) shown.push_back(&lane);
    }
    std::ranges::stable_sort(
        shown, {}, [this](const Lane* lane) { return std::pair(process_rank(*lane), lane->rank); });
    for (const Lane* const lane : shown) report_->lanes.push_back(lane->count);
  }

 private:
  struct Lane {
    CheckReport::LaneCount count;
    uint64_t rank = 0;
    uint64_t parent = 0;  // uuid
    uint64_t pid = 0;     // of a thread
    bool is_described = false;
    bool is_row = false;
  };
  struct Sequence {
    uint64_t track = 0;
    std::unordered_map<uint64_t, std::string> keys;
  };

  static bool is_message_of_ours(uint32_t number) {
    return number == packet::kTrackEvent || number == packet::kTrackDescriptor ||
           number == packet::kDefaults || number == packet::kInternedData;
  }

  /// As for the reader, names may change and places may not.
  void describe(std::string_view bytes) {
    Lane lane;
    uint64_t uuid = 0;
    uint64_t process = 0;
    for (ProtoReader field(bytes); field.next();) {
      if (field.number() == descriptor::kUuid) uuid = field.value();
      if (field.number() == descriptor::kParent) lane.parent = field.value();
      if (field.number() == descriptor::kRank) lane.rank = field.value();
      if (field.number() == descriptor::kName) lane.count.name = field.bytes();
      if (field.number() == descriptor::kProcess) process = number_in(field.bytes(), process::kPid);
      if (field.number() == descriptor::kThread) {
        lane.pid = number_in(field.bytes(), thread::kPid);
        for (ProtoReader inner(field.bytes()); inner.next();) {
          if (inner.number() == thread::kName) lane.count.name = inner.bytes();
        }
      }
    }
    if (uuid == 0) return;
    if (process != 0) process_ranks_.try_emplace(process, lane.rank);
    Lane& known = lanes_[uuid];
    known.count.name = lane.count.name;
    if (known.is_described) return;
    known.is_described = true;
    known.rank = lane.rank;
    known.parent = lane.parent;
    known.pid = process != 0 ? process : lane.pid;
  }

  static uint64_t number_in(std::string_view bytes, uint32_t wanted) {
    for (ProtoReader field(bytes); field.next();) {
      if (field.number() == wanted) return field.value();
    }
    return 0;
  }

  uint64_t process_rank(const Lane& lane) const {
    const Lane* of = &lane;
    for (int depth = 0; of->pid == 0 && depth < kMaxDepth; ++depth) {
      const auto parent = lanes_.find(of->parent);
      if (parent == lanes_.end()) break;
      of = &parent->second;
    }
    const auto known = process_ranks_.find(of->pid);
    return known != process_ranks_.end() ? known->second : 0;
  }

  static void set_defaults(std::string_view bytes, Sequence& sequence) {
    for (ProtoReader field(bytes); field.next();) {
      if (field.number() != defaults::kTrackEvent) continue;
      for (ProtoReader inner(field.bytes()); inner.next();) {
        if (inner.number() == defaults::kTrackUuid) sequence.track = inner.value();
      }
    }
  }

  static void remember_keys(std::string_view bytes, Sequence& sequence) {
    for (ProtoReader field(bytes); field.next();) {
      if (field.number() != interned::kKeys) continue;
      uint64_t id = 0;
      for (ProtoReader inner(field.bytes()); inner.next();) {
        if (inner.number() == interned::kId) id = inner.value();
        if (inner.number() == interned::kText) sequence.keys[id] = inner.bytes();
      }
    }
  }

  void count(std::string_view event, const Sequence& sequence) {
    uint64_t type = 0;
    uint64_t track = sequence.track;
    for (ProtoReader field(event); field.next();) {
      if (field.number() == event::kType) type = field.value();
      if (field.number() == event::kTrackUuid) track = field.value();
      if (field.number() == event::kFlowId) ++flow_starts_;
      if (field.number() == event::kLegacy) count_legacy(field.bytes());
    }
    if (type == 0 || type == event::kEnd) return;
    Lane& lane = lanes_[track];
    lane.is_row = true;
    if (type == event::kCounter) ++samples_, ++lane.count.samples;
    if (type == event::kInstant) ++instants_, ++lane.count.instants;
    if (type == event::kBegin) ++slices_, ++lane.count.slices;
    if (lane.count.name == kRunRowName || lane.count.name == kJobLaneName) {
      take_facts(event, sequence);
    }
  }

  void count_legacy(std::string_view bytes) {
    for (ProtoReader field(bytes); field.next();) {
      if (field.number() == legacy::kBindId) ++flow_ends_;
      if (field.number() == legacy::kPhase) ++(field.value() == 's' ? flow_starts_ : flow_ends_);
    }
  }

  /// The facts of the run are the arguments of the slice over all of it, and those of a job count
  /// for all its processes.
  void take_facts(std::string_view event, const Sequence& sequence) {
    RunFacts facts;
    for (ProtoReader field(event); field.next();) {
      if (field.number() != event::kAnnotation) continue;
      std::string key;
      std::string value;
      for (ProtoReader inner(field.bytes()); inner.next();) {
        if (inner.number() == annotation::kKeyId) {
          const auto known = sequence.keys.find(inner.value());
          if (known != sequence.keys.end()) key = known->second;
        }
        if (inner.number() == annotation::kText) value = inner.bytes();
      }
      facts.emplace_back(std::move(key), std::move(value));
    }
    if (!find_fact(facts, "perseid") || find_fact(report_->facts, "captures")) return;
    if (find_fact(facts, "captures") || facts.size() > report_->facts.size()) {
      report_->facts = std::move(facts);
    }
  }

  CheckReport* report_;
  static constexpr int kMaxDepth = 8;  // of groups within groups

  std::map<uint64_t, Lane> lanes_;                        // by uuid
  std::unordered_map<uint64_t, uint64_t> process_ranks_;  // by pid
  std::unordered_map<uint64_t, Sequence> sequences_;
  uint64_t slices_ = 0;
  uint64_t instants_ = 0;
  uint64_t samples_ = 0;
  uint64_t flow_starts_ = 0;
  uint64_t flow_ends_ = 0;
};

}  // namespace

Result<CheckReport> check_pftrace(const File& file, const std::string& path) {
  CheckReport report;
  report.title = fmt::format("timeline {}", path);
  PacketCounter counter(report);
  std::string buffer;
  uint64_t offset = 0;
  size_t wanted = kBlockBytes;
  bool has_packet = false;
  const auto add_damage = [&report](std::string text) {
    ++report.damages;
    if (report.damage_texts.size() < kMaxDamageTexts)
      report.damage_texts.push_back(std::move(text));
  };
  for (;;) {
    const size_t kept = buffer.size();
    buffer.resize(kept + wanted);
    const size_t got = file.read_at(offset, buffer.data() + kept, wanted);
    offset += got;
    buffer.resize(kept + got);
    size_t used = 0;
    for (ProtoReader packets(buffer); packets.next() && packets.number() == trace::kPacket;) {
      if (!counter.packet(packets.bytes())) {
        add_damage(fmt::format("the packet at byte {} is damaged", offset - buffer.size() + used));
      }
      used = buffer.size() - packets.left();
      has_packet = true;
    }
    buffer.erase(0, used);
    if (got == 0) break;
    // A packet that does not fit yet is read on; what claims to be larger is none.
    wanted = used == 0 ? 2 * wanted : kBlockBytes;
    if (wanted > kLargestPacket) break;
  }
  if (!has_packet) return Error{fmt::format("{} is not a timeline: it has no packets", path)};
  if (!buffer.empty()) {
    add_damage(fmt::format("it is cut short: the last {} bytes, from byte {} on, are no packet",
                           file.size() - (offset - buffer.size()), offset - buffer.size()));
  }
  counter.finish();
  check_facts(report);
  return report;
}

}  // namespace perseid
