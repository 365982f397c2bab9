// timeline/drawing/threads.cpp: names and order of thread tracks.
#include "timeline/drawing/threads.h"

#include <fmt/format.h>

#include <algorithm>

namespace perseid {

Threads::Threads(Tracks& tracks, TraceSink& sink, const Topology& topology, std::string main_name)
    : tracks_(&tracks), sink_(&sink), topology_(&topology), main_name_(std::move(main_name)) {}

void Threads::add(const StreamInfo& info, std::string_view name, TrackGroup group, bool is_hidden) {
  Track track;
  track.kind = TrackKind::kThread;
  track.group = group;
  track.tid = info.tid;
  track.order = info.tid == tracks_->pid() ? 0 : kNumbered + info.stream;
  track.name = shown_name(info, name);
  const TrackId id = tracks_->add(std::move(track), is_hidden);
  threads_.push_back(std::make_unique<Thread>(
      *tracks_, *sink_, id, static_cast<ThreadId>(threads_.size() + 1), info, placeholders_));
  threads_.back()->is_hidden = is_hidden;
}

void Threads::show(Thread& thread) {
  if (!thread.is_hidden) return;
  thread.is_hidden = false;
  tracks_->show(thread.lane.track());
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

ThreadId Threads::of_stream(uint64_t stream) const noexcept {
  const auto found = std::ranges::lower_bound(
      threads_, stream, {}, [](const auto& thread) -> uint64_t { return thread->info.stream; });
  const bool is_there = found != threads_.end() && (*found)->info.stream == stream;
  return is_there ? (*found)->id : 0;
}

void Threads::finish(int64_t end_ns) {
  for (const auto& thread : threads_) thread->ranges.finish(end_ns);
}

}  // namespace perseid
