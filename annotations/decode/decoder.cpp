// annotations/decode/decoder.cpp: ranges, instants, counters, flows, lanes, phases, pauses.
#include "annotations/decode/decoder.h"

#include <fmt/format.h>

#include <cmath>
#include <optional>
#include <unordered_map>
#include <vector>

#include "annotations/decode/arguments.h"
#include "annotations/events.h"
#include "capture/payload.h"
#include "timeline/drawing/lanes.h"
#include "timeline/model/id_table.h"

namespace perseid::annotations {
namespace {

constexpr Category kCategory{"user"};

class AnnotationDecoder final : public Decoder {
 public:
  explicit AnnotationDecoder(Model& model) : model_(&model) {}

  void record(Thread& thread, int64_t at_ns, const RecordHeader& header,
              std::span<const uint64_t> words) override {
    switch (header.kind & 0xff) {
      case kBegin:
        return begin_range(thread, at_ns, header, words);
      case kEnd:
        return end_range(thread, at_ns, header, words);
      case kInstant:
        scratch_.clear();
        add_arguments(scratch_, header, words);
        return thread.lane.add_instant(at_ns, text(header.arg), kCategory, scratch_.items());
      case kCounter:
        return count(at_ns, header.arg, words);
      case kFlowOut:
      case kFlowIn:
        return flow(thread, at_ns, (header.kind & 0xff) == kFlowOut, words);
      case kThreadName:
        return model_->threads.rename(thread, text(header.arg));
      case kLaneBegin:
        return begin_on_lane(at_ns, header, words);
      case kLaneEnd:
        return end_on_lane(at_ns, header, words);
      case kPhase:
        return begin_phase(at_ns, header.arg);
      case kPause:
        return pause(at_ns);
      case kResume:
        return resume(at_ns);
      default:
        return;
    }
  }

  void finish(int64_t end_ns) override {
    const auto close_unfinished = [end_ns](Lane& lane) {
      lane.close_all(end_ns, [&lane](Lane::Handle handle) {
        lane[handle].arguments.add({"unfinished", true});
      });
    };
    for (auto& [id, lane] : lanes_) close_unfinished(lane);
    // A phase or a pause needs no end: it lasts until there is another one.
    if (phases_) phases_->close_all(end_ns, [](Lane::Handle) {});
    end_phase(end_ns);
    if (recording_) recording_->close_all(end_ns, [](Lane::Handle) {});
  }

 private:
  std::string_view text(uint32_t id) { return model_->strings.text(id); }

  void add_arguments(ArgumentList& list, const RecordHeader& header,
                     std::span<const uint64_t> words) {
    Argument argument;
    while (take_argument(words, model_->strings, argument)) list.add(argument);
    if ((header.flags & kRecordTruncated) != 0) list.add({"truncated", true});
  }

  void begin_range(Thread& thread, int64_t at_ns, const RecordHeader& header,
                   std::span<const uint64_t> words) {
    const Lane::Handle handle = thread.ranges.begin(at_ns, text(header.arg), kCategory);
    if (!words.empty()) add_arguments(thread.lane[handle].arguments, header, words);
  }

  void end_range(Thread& thread, int64_t at_ns, const RecordHeader& header,
                 std::span<const uint64_t> words) {
    const Lane::Handle handle = thread.ranges.find_ending(at_ns, header.arg);
    if (!words.empty()) add_arguments(thread.lane[handle].arguments, header, words);
    thread.ranges.close_innermost(at_ns);
  }

  void count(int64_t at_ns, uint32_t name, std::span<const uint64_t> words) {
    if (words.empty()) return;
    const double value = Payload(words).real(0);
    if (std::isfinite(value)) model_->count(name, at_ns, value);
  }

  /// An arrow hangs on the innermost range, or on an instant of its own where there is none or
  /// the range has all the arrows it can hold.
  void flow(Thread& thread, int64_t at_ns, bool is_out, std::span<const uint64_t> words) {
    if (words.empty()) return;
    OpenSlice* slice = thread.ranges.is_empty() ? nullptr : &thread.lane[thread.ranges.innermost()];
    if (slice != nullptr && slice->flows.size() >= OpenSlice::kMaxFlows) slice = nullptr;
    const int64_t begin_ns = slice != nullptr ? slice->begin_ns : at_ns;
    const std::optional<FlowEnd> end =
        is_out ? model_->flows.out(words[0], at_ns, begin_ns) : model_->flows.in(words[0], at_ns);
    if (!end) return;
    if (slice != nullptr) {
      slice->flows.push_back(*end);
    } else {
      thread.lane.add_instant(at_ns, "flow", kCategory, {}, {&*end, 1});
    }
  }

  /// A lane's id is the string id of its name, unless a record gives it another name.
  Lane& lane(uint64_t id) {
    const auto known = lanes_.find(id);
    if (known != lanes_.end()) return known->second;
    std::string name = id <= UINT32_MAX ? std::string(text(static_cast<uint32_t>(id)))
                                        : fmt::format("lane {}", id);
    return lanes_.try_emplace(id, model_->add_row(std::move(name), TrackGroup::kLanes))
        .first->second;
  }

  void begin_on_lane(int64_t at_ns, const RecordHeader& header, std::span<const uint64_t> words) {
    if (words.size() < 2) return;
    Lane& on = lane(words[0]);
    const Lane::Handle handle = on.open_beside(at_ns, text(header.arg), kCategory);
    add_arguments(on[handle].arguments, header, words.subspan(2));
    OpenOnLane& open = open_on_lanes_[words[1]];
    if (open.lane != nullptr) {  // its end is missing, or it would not begin again
      (*open.lane)[open.handle].arguments.add({"end", std::string_view("lost")});
      open.lane->close(open.handle, at_ns);
    }
    open = {&on, handle};
  }

  void end_on_lane(int64_t at_ns, const RecordHeader& header, std::span<const uint64_t> words) {
    if (words.size() < 2) return;
    const OpenOnLane* const found = open_on_lanes_.find(words[1]);
    if (found == nullptr) {
      ++model_->orphan_ends;
      return;
    }
    const OpenOnLane open = *found;
    open_on_lanes_.erase(words[1]);
    add_arguments((*open.lane)[open.handle].arguments, header, words.subspan(2));
    open.lane->close(open.handle, at_ns);
  }

  Lane& own_row(std::optional<Lane>& row, const char* name, uint32_t order) {
    if (!row) row.emplace(model_->add_row(name, TrackGroup::kPhases, order));
    return *row;
  }

  void begin_phase(int64_t at_ns, uint32_t name) {
    Lane& phases = own_row(phases_, "Phases", 0);
    phases.close_all(at_ns, [](Lane::Handle) {});
    end_phase(at_ns);
    if (name == 0) return;
    phases.open(at_ns, text(name), kCategory);
    phase_.begin_ns = at_ns;
    phase_.end_ns = kNotYet;
    phase_.name = model_->names.of(text(name));
    phase_.kind = RegionKind::kPhase;
    model_->rows.add(phase_);
  }

  void end_phase(int64_t at_ns) {
    if (phase_.name == 0) return;
    phase_.end_ns = at_ns;
    model_->rows.add(phase_);
    phase_ = {};
  }

  void pause(int64_t at_ns) {
    Lane& recording = own_row(recording_, "Recording", 1);
    if (recording.open_count() == 0) recording.open(at_ns, "paused", kOwnCategory);
  }

  void resume(int64_t at_ns) {
    Lane& recording = own_row(recording_, "Recording", 1);
    if (recording.open_count() == 0 && !has_resumed_) {
      recording.open(0, "paused", kOwnCategory);  // the session started that way
    }
    has_resumed_ = true;
    recording.close_all(at_ns, [](Lane::Handle) {});
  }

  struct OpenOnLane {
    Lane* lane = nullptr;
    Lane::Handle handle = 0;
  };

  Model* model_;
  ArgumentList scratch_;
  std::unordered_map<uint64_t, Lane> lanes_;
  IdTable<OpenOnLane> open_on_lanes_;  // by slice id
  std::optional<Lane> phases_;
  RegionRow phase_;  // that is open; without a name there is none
  std::optional<Lane> recording_;
  bool has_resumed_ = false;
};

}  // namespace

std::unique_ptr<Decoder> make_decoder(Model& model) {
  return std::make_unique<AnnotationDecoder>(model);
}

}  // namespace perseid::annotations
