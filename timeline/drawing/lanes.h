// timeline/drawing/lanes.h: a lane's slices always nest; what overlaps goes to sub-lanes.
//
//   given    A |-----------|             shown   lane      A |-----------|
//            B    |------------|                 lane (2)  B    |------------|
//
// Perfetto drops or displaces slices that overlap on one row, so this must hold for every
// input, however odd.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <queue>
#include <span>
#include <string_view>
#include <vector>

#include "timeline/drawing/open_slice.h"
#include "timeline/drawing/sink.h"
#include "timeline/drawing/tracks.h"

namespace perseid {

class Lane {
 public:
  using Handle = uint32_t;
  /// Perfetto refuses slices deeper than 512; an instant inside the deepest takes one level.
  static constexpr size_t kMaxDepth = 500;

  Lane(Tracks& tracks, TraceSink& sink, TrackId track);

  /// Opens inside the innermost open slice.
  Handle open(int64_t begin_ns, std::string_view name, const Category& category);
  /// Opens on the lowest row with nothing open: for slices that may end in any order.
  Handle open_beside(int64_t begin_ns, std::string_view name, const Category& category);
  /// Opens around `inner`, which is open already; for a begin that is only inferred.
  Handle open_around(Handle inner, int64_t begin_ns, std::string_view name,
                     const Category& category);
  OpenSlice& operator[](Handle handle) noexcept { return slots_[handle]; }

  /// Hands the slice to the sink. Slices above it that go on move to a sub-lane.
  void close(Handle handle, int64_t end_ns);

  /// A slice that is known only now that it is over; its begin is cut to where there is room.
  void add_finished(int64_t begin_ns, int64_t end_ns, std::string_view name,
                    const Category& category, std::span<const Argument> arguments);
  /// A slice that is over, on the lowest row where nothing is in its way. In any order of time,
  /// but slices that come in order of their begin need the fewest rows.
  void add_apart(Slice slice);
  void add_instant(int64_t at_ns, std::string_view name, const Category& category,
                   std::span<const Argument> arguments, std::span<const FlowEnd> flows = {});

  /// Nothing that comes later begins before the returned time, which is `floor_ns` or later.
  int64_t set_floor(int64_t floor_ns) noexcept {
    return floor_ns_ = std::max({floor_ns_, floor_ns, rows_[0].last_end_ns});
  }
  /// Closes all, the innermost first, after `mark` has seen each.
  void close_all(int64_t end_ns, const std::function<void(Handle)>& mark);

  TrackId track() const noexcept { return rows_[0].track; }
  size_t open_count() const noexcept { return open_count_; }
  /// Nothing that takes time has been on it so far.
  bool is_blank() const noexcept {
    return rows_.size() == 1 && open_count_ == 0 && rows_[0].last_end_ns == 0;
  }

 private:
  struct Row {
    TrackId track = 0;         // 0: not shown yet
    int64_t last_end_ns = 0;   // of everything handed to the sink on this row
    std::vector<Handle> open;  // outermost first
    bool is_listed_free = false;
  };

  Handle take_slot(int64_t begin_ns, std::string_view name, const Category& category);
  void push(size_t row, Handle handle);
  size_t row_to_nest_in(int64_t begin_ns);
  size_t empty_row_since(int64_t begin_ns);
  TrackId track_of(size_t row);
  void emit(size_t row, const OpenSlice& slice, int64_t end_ns);
  void set_surroundings(const Row& row, Slice& slice) const;
  void list_free(size_t row);

  Tracks* tracks_;
  TraceSink* sink_;
  std::vector<Row> rows_;  // [0] is the lane itself
  std::vector<OpenSlice> slots_;
  std::vector<Handle> free_slots_;
  std::priority_queue<size_t, std::vector<size_t>, std::greater<>> free_rows_;
  int64_t floor_ns_ = 0;
  size_t open_count_ = 0;
};

}  // namespace perseid
