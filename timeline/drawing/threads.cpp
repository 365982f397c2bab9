// timeline/drawing/threads.cpp: names and order of thread tracks.
#include "timeline/drawing/threads.h"

#include <fmt/format.h>

#include <algorithm>

namespace perseid {

Threads::Threads(Tracks& tracks, TraceSink& sink, const Topology& topology, std::string main_name)
    : tracks_(&tracks), sink_(&sink), topology_(&topology), main_name_(std::move(main_name)) {}

void Threads::add(const StreamInfo& info, std::string_view name, TrackGroup group) {
  Track track;
  track.kind = TrackKind::kThread;
  track.group = group;
  track.tid = info.tid;
  track.order = info.tid == tracks_->pid() ? 0 : kNumbered + info.stream;
  track.name = shown_name(info, name);
  const TrackId id = tracks_->add(std::move(track));
  threads_.push_back(std::make_unique<Thread>(
      *tracks_, *sink_, id, static_cast<ThreadId>(threads_.size() + 1), info, placeholders_));
}

void Threads::rename(Thread& thread, std::string_view name) {
  tracks_->rename(thread.lane.track(), shown_name(thread.info, name));
}

void Threads::number(Thread& thread, uint32_t number) {
  const Track& track = (*tracks_)[thread.lane.track()];
  if (track.group != TrackGroup::kThreads || track.order == 0) return;
  tracks_->move(track.id, track.group, std::clamp(number, 1u, kNumbered - 1));
}

std::string Threads::shown_name(const StreamInfo& info, std::string_view name) const {
  std::string shown(name);
  if (shown.empty()) {
    const bool is_main = info.tid == tracks_->pid() && info.tid != 0;
    shown = is_main && !main_name_.empty() ? main_name_ : fmt::format("thread {}", info.stream);
  }
  if (info.bound_cpu >= 0) shown += topology_->place_of(info.bound_cpu);
  return shown;
}

void Threads::finish(int64_t end_ns) {
  for (const auto& thread : threads_) thread->ranges.finish(end_ns);
}

}  // namespace perseid
