// timeline/writers/pftrace.h: Perfetto's native format.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "timeline/model/recent_in_order.h"
#include "timeline/writers/name_table.h"
#include "timeline/writers/pftrace_tracks.h"
#include "timeline/writers/proto_bytes.h"
#include "timeline/writers/wait_colour.h"
#include "timeline/writers/writer.h"

namespace perseid {

/// A stream of packets: a file that was cut short opens up to the cut, and files written one
/// after the other into one are one timeline. Takes several processes.
class PftraceWriter final : public TimelineWriter {
 public:
  /// So often the state of a track is written again.
  static constexpr uint32_t kPacketsPerState = 1 << 16;

  explicit PftraceWriter(ByteSink& sink) : out_(sink), sink_(&sink), tracks_(out_) {}

  void process(const Process& process) override { tracks_.add(process); }
  void track(const Track& track) override { tracks_.add(track); }
  void slice(const Slice& slice) override;
  void counter(TrackId track, int64_t at_ns, double value) override;
  void finish(const RunFacts& facts) override;
  uint64_t bytes() const noexcept override { return out_.total_bytes(); }
  void report(std::string_view json) override;

 private:
  /// A slice with its texts turned into numbers.
  struct Event {
    const Slice& slice;
    uint32_t name;
    uint32_t category;
    uint32_t colour;               // NameTable::kNone: that of `colour_text`
    std::string_view colour_text;  // "": the name's own
    size_t room;                   // bytes that its first packet may take
  };

  TrackSequence& ready(TrackId track);
  void write(const Slice& slice);
  void write_held(TrackSequence& on, const Event& event);
  Event introduce(TrackSequence& on, const Slice& slice);
  template <uint32_t kKind>
  void introduce_name(TrackSequence& on, std::vector<uint32_t>& written, uint32_t number);
  void write_begin(ProtoBytes& to, TrackSequence& on, const Event& event);
  void write_end(ProtoBytes& to, TrackSequence& on, const Slice& slice);
  void write_argument(ProtoBytes& to, uint32_t key, const Argument& argument);
  void write_flows(ProtoBytes& to, const Slice& slice);
  void write_target(ProtoBytes& to, const FlowEnd& flow);
  void write_second_target(ProtoBytes& to, const Slice& slice);
  void write_far_flows(ProtoBytes& to, const TrackSequence& on, const Slice& slice);
  void write_legacy_flow(ProtoBytes& to, const TrackSequence& on, uint64_t uuid, int64_t at_ns,
                         char phase);

  /// Where arrows began lately, by their id: those that find no place in the packets of the
  /// slice they lead to are drawn from there.
  static constexpr size_t kSources = 1 << 15;
  RecentInOrder<TrackId, kSources> sources_;
  bool knows_source(const FlowEnd& flow) const noexcept {
    return sources_.find(flow.id) != nullptr;
  }

  ProtoBytes out_;
  ProtoBytes piece_;  // what may have to be held back
  ByteSink* sink_;
  PftraceTracks tracks_;
  NameTable names_;
  std::vector<uint32_t> keys_;  // numbers of the current slice's argument keys
  uint64_t far_flows_ = 0;
  uint32_t quiet_colour_ = names_.number_of(kQuietColour);
  std::string scratch_;
};

}  // namespace perseid
