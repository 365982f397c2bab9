// timeline/walk/walk.cpp: drives merge and decoders, and shows what is missing where it is missing.
#include "timeline/walk/walk.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "capture/core_events.h"
#include "timeline/drawing/model.h"
#include "timeline/walk/decoder.h"
#include "timeline/walk/job.h"
#include "timeline/walk/stream_merge.h"
#include "timeline/walk/submitters.h"

namespace perseid {
namespace {

constexpr uint64_t kProgressEvery = 1 << 16;  // records

std::string base_name(std::string_view path) {
  return std::string(path.substr(path.find_last_of('/') + 1));
}

uint64_t mix(uint64_t sum, uint64_t value) {
  sum = (sum ^ value) * 0x9e3779b97f4a7c15;
  return sum ^ sum >> 29;
}

uint64_t mix(uint64_t sum, std::string_view text) {
  for (const char c : text) sum = mix(sum, static_cast<uint8_t>(c));
  return sum;
}

/// The session's own number is random; the rest keeps processes apart where it is missing.
uint64_t identity_of(const Capture& capture, uint32_t pid) {
  const Manifest& manifest = capture.manifest();
  uint64_t identity = mix(manifest.get_number("session", 16), pid);
  for (const char* key : {"host", "rank", "started"}) identity = mix(identity, manifest.get(key));
  return identity;
}

Process describe_process(Capture& capture, const JobRank& job, uint32_t pid, const std::string& exe,
                         const ClockLine& clock) {
  Process process;
  process.pid = pid;
  process.name = shown_process(job, exe.empty() ? fmt::format("process {}", pid) : exe);
  for (const char* key : {"host", "rank", "job"}) {
    const std::string_view value = capture.manifest().get(key);
    if (!value.empty()) process.labels.push_back(fmt::format("{} {}", key, value));
  }
  process.identity = identity_of(capture, pid);
  // Times of a job's clock stand for themselves: each rank's own idea of the date would move it.
  if (clock.source() != ClockSource::kAlone) {
    if (!capture.anchors().empty()) {
      process.begin_ns = std::max<int64_t>(0, clock.map(capture.anchors().front().mono_ns));
    }
    return process;
  }
  process.start_real_ns = capture.timebase().start_real_ns();
  process.start_mono_ns = capture.timebase().start_mono_ns();
  return process;
}

class Walk {
 public:
  Walk(Capture& capture, TraceSink& sink, const WalkOptions& options)
      : capture_(&capture),
        job_(job_rank(capture.manifest(), capture.state())),
        kernel_pid_(process_id(capture)),
        pid_(options.pid != 0 ? options.pid : shown_pid(job_, kernel_pid_)),
        symbols_(capture.modules(), options.may_load_libraries),
        model_(sink, capture.strings(), capture.timebase(), pid_,
               base_name(capture.manifest().get("exe")), capture.topology(), symbols_,
               first_flow_id(job_, pid_), options.dependency_arrows),
        model_sinks_(options.model_sinks) {
    for (ModelSink* const model_sink : model_sinks_) model_.rows.add_sink(model_sink);
    const ClockLine clock = options.clock ? *options.clock : job_clock(capture);
    if (clock.source() != ClockSource::kAlone) capture.align(clock);
    report_.clock = clock;
    const std::string exe = base_name(capture.manifest().get("exe"));
    const Process process = describe_process(capture, job_, pid_, exe, clock);
    report_.begin_ns = process.begin_ns;
    sink.process(process);
    add_threads();
    for (const DecoderEntry& entry : decoder_table()) {
      auto& slot = decoders_[static_cast<size_t>(entry.producer)];
      owned_.push_back(entry.make(model_));
      slot = owned_.back().get();
    }
    if (model_.topology.bad_lines() > 0) {
      capture.damages().add({DamageKind::kTopology, 0, 0, "topology: it has unreadable lines"});
    }
  }

  WalkReport run(const std::function<void(double)>& progress) {
    Merge merge(*capture_);
    Timebase& timebase = capture_->timebase();
    uint64_t bytes = 0;
    while (merge.next()) {
      Thread& thread = model_.threads[merge.stream()];
      const int64_t at_ns = timebase.to_ns(merge.ticks());
      report_.end_ns = at_ns;
      if (merge.is_hole()) [[unlikely]] {
        show_hole(thread, at_ns, merge.hole(), merge.has_record_after());
        continue;
      }
      thread.last_ns = at_ns;
      const RecordHeader& header = merge.record();
      // The role is a hint in a file: whatever else is in the stream needs its row.
      if (thread.is_hidden && header.kind != core::kind(core::kCpuTimes)) [[unlikely]]
        model_.threads.show(thread);
      ++kinds_[header.kind >> 8][header.kind & 0xff];
      if (header.words < (*fixed_words_)[header.kind >> 8][header.kind & 0xff]) [[unlikely]]
        ++report_.short_records;
      decoders_[header.kind >> 8]->record(thread, at_ns, header, merge.words());
      model_.rows.end_record(at_ns);
      bytes += sizeof(header) + 8u * header.words;
      if (++report_.records % kProgressEvery == 0 && progress) {
        progress(std::min(
            1.0, static_cast<double>(bytes) / static_cast<double>(capture_->record_bytes())));
      }
    }
    finish();
    if (progress) progress(1);
    return report_;
  }

 private:
  static uint32_t process_id(const Capture& capture) {
    const auto pid = static_cast<uint32_t>(capture.manifest().get_number("pid"));
    return pid != 0 ? pid : capture.state().pid != 0 ? capture.state().pid : 1;
  }

  void add_threads() {
    const std::vector<bool> submits = find_submitters(*capture_);
    for (size_t i = 0; i < capture_->streams().size(); ++i) {
      StreamInfo info = capture_->streams()[i].info;
      if (info.tid == kernel_pid_) info.tid = pid_;  // readers know the main thread by it
      model_.threads.add(info,
                         info.name != 0 ? capture_->strings().text(info.name) : std::string_view(),
                         submits[i] ? TrackGroup::kSubmitters : TrackGroup::kThreads,
                         capture_->streams()[i].role == StreamRole::kRecorder);
    }
  }

  void show_hole(Thread& thread, int64_t at_ns, const Hole& hole, bool has_record_after) {
    const Argument arguments[] = {{"bytes", hole.bytes}, {"position", hole.position}};
    if (hole.is_overwritten && capture_->streams()[thread.id - 1].role == StreamRole::kRecorder) {
      report_.overwritten_bytes += hole.bytes;  // of no thread that the recording is about
      return;
    }
    model_.threads.show(thread);
    if (hole.is_overwritten && !has_record_after) {
      // The program runs on, and its flight recorder was faster than this walk.
      report_.overwritten_bytes += hole.bytes;
      is_end_overwritten_ = true;
      thread.ranges.note_hole(at_ns, kOverwrittenHole);
      thread.lane.add_instant(at_ns, "records overwritten while read", kOwnCategory, arguments);
    } else if (hole.is_overwritten) {
      report_.overwritten_bytes += hole.bytes;
      report_.covered_from_ns = std::max(report_.covered_from_ns, at_ns);
      thread.ranges.note_hole(at_ns, kOverwrittenHole);
      thread.lane.add_instant(at_ns, "older records overwritten", kOwnCategory, arguments);
    } else {
      report_.unreadable_bytes += hole.bytes;
      thread.ranges.note_hole(thread.last_ns, kLostHole);
      thread.lane.add_instant(at_ns, "records unreadable", kOwnCategory, arguments);
    }
  }

  void finish() {
    for (const auto& decoder : owned_) decoder->finish(report_.end_ns);
    model_.worker_states.finish(report_.end_ns);
    model_.rows.flush(report_.end_ns);
    for (ModelSink* const model_sink : model_sinks_) model_sink->finish(model_.names);
    model_.threads.finish(report_.end_ns);
    uint16_t kind = 0;
    for (const auto& of_producer : kinds_) {
      for (const uint64_t count : of_producer) {
        if (count > 0) report_.records_by_kind[kind] = count;
        ++kind;
      }
    }
    if (report_.short_records > 0) {
      capture_->damages().add({DamageKind::kShort, 0, 0,
                               fmt::format("records with fewer words than their events need: {}",
                                           report_.short_records)});
    }
    const RecordedState& state = capture_->state();
    if (state.overwritten_bytes > 0) {
      report_.overwritten_bytes += state.overwritten_bytes;
      report_.covered_from_ns =
          std::max(report_.covered_from_ns, capture_->timebase().to_ns(state.overwritten_ticks));
    }
    if (is_end_overwritten_) report_.covered_from_ns = report_.end_ns;
    report_.lost = state.lost_without_ring;
    for (size_t i = 0; i < model_.threads.size(); ++i) {
      // What a ring still counts and no record has reported yet was lost at the very end.
      const RingSnapshot* const ring = capture_->streams()[i].ring;
      const uint64_t counted = ring != nullptr ? ring->lost : 0;
      report_.lost += std::max(model_.threads[i].lost, counted);
    }
    report_.unmatched_flows = model_.flows.unmatched();
    report_.orphan_ends = model_.orphan_ends;
    report_.notes = model_.notes;
    report_.stripped = symbols_.stripped_module();
    const auto note_arrows = [&](const char* key, uint64_t count) {
      if (count > 0) {
        report_.notes.emplace_back(key, std::to_string(count), FactScope::kSum);
      }
    };
    note_arrows("dependency_arrows", model_.arrows.drawn());
    note_arrows("dependency_arrows_left_out", model_.arrows.left_out());
    model_.sink.finish(gather_facts(*capture_, report_));
  }

  Capture* capture_;
  JobRank job_;
  uint32_t kernel_pid_;
  uint32_t pid_;
  Symbols symbols_;
  Model model_;
  std::vector<ModelSink*> model_sinks_;
  std::array<Decoder*, 256> decoders_{};
  std::vector<std::unique_ptr<Decoder>> owned_;
  std::array<std::array<uint64_t, 256>, 256> kinds_{};
  const FixedWords* fixed_words_ = &fixed_words_by_kind();
  WalkReport report_;
  bool is_end_overwritten_ = false;  // of some thread
};

}  // namespace

Losses losses_of(const Capture& capture, const WalkReport& report) {
  Losses losses;
  losses.dropped = report.lost;
  losses.nested = capture.state().nested;
  losses.names = capture.state().names_lost;
  losses.overwritten_bytes = report.overwritten_bytes;
  losses.run_ns = std::max<int64_t>(0, report.end_ns - report.begin_ns);
  losses.kept_ns = std::clamp<int64_t>(report.end_ns - report.covered_from_ns, 0, losses.run_ns);
  return losses;
}

WalkReport walk(Capture& capture, TraceSink& sink, const WalkOptions& options) {
  return std::make_unique<Walk>(capture, sink, options)->run(options.progress);
}

}  // namespace perseid
