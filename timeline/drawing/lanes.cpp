// timeline/drawing/lanes.cpp: finds a row for every slice.
#include "timeline/drawing/lanes.h"

#include <algorithm>

namespace perseid {
namespace {

/// Rows among which a free one is looked for. Nobody looks at that many, and where all of them
/// overlap each slice would search all those before it.
constexpr size_t kMaxSearched = 4096;

}  // namespace

Lane::Lane(Tracks& tracks, TraceSink& sink, TrackId track) : tracks_(&tracks), sink_(&sink) {
  rows_.emplace_back();
  rows_[0].track = track;
  list_free(0);
}

Lane::Handle Lane::open(int64_t begin_ns, std::string_view name, const Category& category) {
  const size_t row = row_to_nest_in(begin_ns);
  const Row& into = rows_[row];
  begin_ns = std::max({begin_ns, floor_ns_, into.last_end_ns});
  if (!into.open.empty()) begin_ns = std::max(begin_ns, slots_[into.open.back()].begin_ns);
  const Handle handle = take_slot(begin_ns, name, category);
  push(row, handle);
  return handle;
}

Lane::Handle Lane::open_beside(int64_t begin_ns, std::string_view name, const Category& category) {
  size_t row = rows_.size();
  while (!free_rows_.empty() && row == rows_.size()) {
    const size_t lowest = free_rows_.top();
    free_rows_.pop();
    rows_[lowest].is_listed_free = false;
    if (rows_[lowest].open.empty()) row = lowest;
  }
  if (row == rows_.size()) rows_.emplace_back();
  begin_ns = std::max({begin_ns, floor_ns_, rows_[row].last_end_ns});
  const Handle handle = take_slot(begin_ns, name, category);
  push(row, handle);
  return handle;
}

Lane::Handle Lane::open_around(Handle inner, int64_t begin_ns, std::string_view name,
                               const Category& category) {
  const size_t row = slots_[inner].sub_lane;
  const auto at = std::find(rows_[row].open.begin(), rows_[row].open.end(), inner);
  const size_t index = static_cast<size_t>(at - rows_[row].open.begin());
  begin_ns = std::min(begin_ns, slots_[inner].begin_ns);
  if (index > 0) {
    begin_ns = std::max(begin_ns, slots_[rows_[row].open[index - 1]].begin_ns);
  }
  const Handle handle = take_slot(begin_ns, name, category);
  push(row, handle);
  auto& open = rows_[row].open;
  std::rotate(open.begin() + static_cast<std::ptrdiff_t>(index), open.end() - 1, open.end());
  return handle;
}

void Lane::close(Handle handle, int64_t end_ns) {
  OpenSlice& slice = slots_[handle];
  const size_t row = slice.sub_lane;
  end_ns = std::max(end_ns, slice.begin_ns);
  if (rows_[row].last_end_ns > slice.begin_ns) {
    end_ns = std::max(end_ns, rows_[row].last_end_ns);  // what it contains has been handed out
  }
  if (rows_[row].open.back() != handle) {
    const auto at = std::find(rows_[row].open.begin(), rows_[row].open.end(), handle);
    const size_t above = static_cast<size_t>(at - rows_[row].open.begin()) + 1;
    const int64_t above_begin_ns = slots_[rows_[row].open[above]].begin_ns;
    if (above_begin_ns < end_ns) {
      const size_t target = empty_row_since(above_begin_ns);
      auto& from = rows_[row].open;
      for (size_t i = above; i < from.size(); ++i) {
        slots_[from[i]].sub_lane = static_cast<uint32_t>(target);
        rows_[target].open.push_back(from[i]);
      }
      from.resize(above);
    }
    auto& open = rows_[row].open;
    open.erase(open.begin() + static_cast<std::ptrdiff_t>(above - 1));
  } else {
    rows_[row].open.pop_back();
  }
  emit(row, slice, end_ns);
  slice.arguments.clear();
  slice.flows.clear();
  free_slots_.push_back(handle);
  --open_count_;
  if (rows_[row].open.empty()) list_free(row);
}

void Lane::add_finished(int64_t begin_ns, int64_t end_ns, std::string_view name,
                        const Category& category, std::span<const Argument> arguments) {
  Row& row = rows_[0];
  begin_ns = std::max({begin_ns, floor_ns_, row.last_end_ns});
  if (!row.open.empty()) begin_ns = std::max(begin_ns, slots_[row.open.back()].begin_ns);
  end_ns = std::max(end_ns, begin_ns);
  row.last_end_ns = end_ns;
  Slice slice;
  slice.track = row.track;
  slice.begin_ns = begin_ns;
  slice.end_ns = end_ns;
  slice.name = name;
  slice.set_category(category);
  slice.arguments = arguments;
  set_surroundings(row, slice);
  sink_->slice(slice);
}

void Lane::add_apart(Slice slice) {
  slice.begin_ns = std::max(slice.begin_ns, floor_ns_);
  slice.end_ns = std::max(slice.begin_ns, slice.end_ns);
  const size_t searched = std::min(rows_.size(), kMaxSearched);
  size_t row = 0;
  while (row < searched && (!rows_[row].open.empty() || rows_[row].last_end_ns > slice.begin_ns)) {
    ++row;
  }
  if (row == searched) {
    row = rows_.size();
    rows_.emplace_back();
    list_free(row);
  }
  rows_[row].last_end_ns = slice.end_ns;
  slice.track = track_of(row);
  sink_->slice(slice);
}

void Lane::add_instant(int64_t at_ns, std::string_view name, const Category& category,
                       std::span<const Argument> arguments, std::span<const FlowEnd> flows) {
  Slice slice;
  slice.track = rows_[0].track;
  slice.begin_ns = slice.end_ns = at_ns;
  slice.is_instant = true;
  slice.name = name;
  slice.set_category(category);
  slice.arguments = arguments;
  slice.flows = flows;
  set_surroundings(rows_[0], slice);
  sink_->slice(slice);
}

void Lane::close_all(int64_t end_ns, const std::function<void(Handle)>& mark) {
  for (size_t row = 0; row < rows_.size(); ++row) {
    while (!rows_[row].open.empty()) {
      const Handle innermost = rows_[row].open.back();
      mark(innermost);
      close(innermost, end_ns);
    }
  }
}

Lane::Handle Lane::take_slot(int64_t begin_ns, std::string_view name, const Category& category) {
  if (free_slots_.empty()) {
    free_slots_.push_back(static_cast<Handle>(slots_.size()));
    slots_.emplace_back();
  }
  const Handle handle = free_slots_.back();
  free_slots_.pop_back();
  OpenSlice& slice = slots_[handle];
  slice.begin_ns = begin_ns;
  slice.name = name;
  slice.category = category;
  slice.colour = {};
  ++open_count_;
  return handle;
}

void Lane::push(size_t row, Handle handle) {
  slots_[handle].sub_lane = static_cast<uint32_t>(row);
  rows_[row].open.push_back(handle);
}

/// Usually the lane itself. Deeper than Perfetto goes, nesting continues on a row below.
size_t Lane::row_to_nest_in(int64_t begin_ns) {
  const size_t searched = std::min(rows_.size(), kMaxSearched);
  for (size_t row = 0; row < searched; ++row) {
    if (rows_[row].open.size() < kMaxDepth) return row;
  }
  return empty_row_since(begin_ns);
}

/// A sub-lane with nothing open, and nothing that reaches beyond `begin_ns`.
size_t Lane::empty_row_since(int64_t begin_ns) {
  const size_t searched = std::min(rows_.size(), kMaxSearched);
  for (size_t row = 1; row < searched; ++row) {
    if (rows_[row].open.empty() && rows_[row].last_end_ns <= begin_ns) return row;
  }
  rows_.emplace_back();
  return rows_.size() - 1;
}

TrackId Lane::track_of(size_t row) {
  if (rows_[row].track == 0) {
    rows_[row].track = tracks_->add_sub_lane(rows_[0].track, static_cast<uint32_t>(row));
  }
  return rows_[row].track;
}

void Lane::emit(size_t row, const OpenSlice& open, int64_t end_ns) {
  rows_[row].last_end_ns = std::max(rows_[row].last_end_ns, end_ns);
  Slice slice;
  slice.track = track_of(row);
  slice.begin_ns = open.begin_ns;
  slice.end_ns = end_ns;
  slice.name = open.name;
  slice.set_category(open.category);
  slice.colour = open.colour;
  slice.arguments = open.arguments.items();
  slice.flows = open.flows;
  set_surroundings(rows_[row], slice);
  sink_->slice(slice);
}

void Lane::set_surroundings(const Row& row, Slice& slice) const {
  slice.depth = static_cast<uint32_t>(row.open.size());
  slice.begins_with_parent =
      !row.open.empty() && slots_[row.open.back()].begin_ns == slice.begin_ns;
}

void Lane::list_free(size_t row) {
  if (rows_[row].is_listed_free) return;
  rows_[row].is_listed_free = true;
  free_rows_.push(row);
}

}  // namespace perseid
