// timeline/drawing/threads.h: one track per recorded thread.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "capture/format.h"
#include "timeline/drawing/current_tasks.h"
#include "timeline/drawing/lanes.h"
#include "timeline/drawing/thread_ranges.h"
#include "timeline/drawing/tracks.h"
#include "timeline/model/rows.h"
#include "timeline/model/topology.h"

namespace perseid {

struct Thread {
  Thread(Tracks& tracks, TraceSink& sink, TrackId track, ThreadId number, const StreamInfo& stream,
         PlaceholderBudget& budget)
      : id(number), info(stream), lane(tracks, sink, track), ranges(lane, budget) {}
  Thread(const Thread&) = delete;
  Thread& operator=(const Thread&) = delete;

  ThreadId id;  // as the rows of the model name it
  StreamInfo info;
  Lane lane;
  ThreadRanges ranges;
  CurrentTasks tasks;
  int64_t last_ns = 0;
  uint64_t lost = 0;  // records, as its stream counts them
  bool is_hidden = false;
};

/// All threads of a capture, in order of their streams.
class Threads {
 public:
  Threads(Tracks& tracks, TraceSink& sink, const Topology& topology, std::string main_name);

  /// `name` may be empty. Call in order of streams.
  /// `is_hidden`: it has no row before show().
  void add(const StreamInfo& info, std::string_view name, TrackGroup group = TrackGroup::kThreads,
           bool is_hidden = false);
  void show(Thread& thread);
  void rename(Thread& thread, std::string_view name);
  /// A runtime's number of one of its own threads: those are in its order, after the main
  /// thread and before the others. Before its first slice.
  void number(Thread& thread, uint32_t number);
  Thread& operator[](size_t index) noexcept { return *threads_[index]; }
  size_t size() const noexcept { return threads_.size(); }
  /// The thread whose stream has that number; 0: there is none.
  ThreadId of_stream(uint64_t stream) const noexcept;

  void finish(int64_t end_ns);

 private:
  static constexpr uint32_t kNumbered = 4096;  // places

  std::string shown_name(const StreamInfo& info, std::string_view name) const;

  Tracks* tracks_;
  TraceSink* sink_;
  const Topology* topology_;
  std::string main_name_;
  PlaceholderBudget placeholders_;
  std::vector<std::unique_ptr<Thread>> threads_;  // lanes point into them: they never move
};

}  // namespace perseid
