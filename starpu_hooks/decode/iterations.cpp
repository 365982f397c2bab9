// starpu_hooks/decode/iterations.cpp: rows of iterations.
#include "starpu_hooks/decode/iterations.h"

#include <fmt/format.h>

namespace perseid::starpu::decoding {
namespace {

constexpr size_t kMaxOpen = 64;
constexpr uint32_t kFirstRow = 3;  // below phases, recording and StarPU

}  // namespace

void Iterations::push(int64_t at_ns, uint32_t context, uint64_t iteration) {
  auto found = rows_.find(context);
  if (found == rows_.end()) {
    std::string name =
        context == 0 ? "Iterations" : fmt::format("Iterations · context {}", context);
    Lane lane = parts_->model.add_row(std::move(name), TrackGroup::kPhases, kFirstRow + context);
    found = rows_.try_emplace(context, Row{std::move(lane)}).first;
  }
  Row& row = found->second;
  if (row.open.size() >= kMaxOpen) pop(at_ns, context);
  Open& open = row.open.emplace_back();
  open.number = iteration;
  open.begin_ns = at_ns;
  open.name = fmt::format("iteration {}", iteration);
  open.slice = row.lane.open(at_ns, open.name, kStarpuCategory);
  add_row(open, kNotYet);
}

void Iterations::pop(int64_t at_ns, uint32_t context) {
  const auto found = rows_.find(context);
  if (found == rows_.end() || found->second.open.empty()) {
    ++parts_->model.orphan_ends;
    return;
  }
  add_row(found->second.open.back(), at_ns);
  found->second.lane.close(found->second.open.back().slice, at_ns);
  found->second.open.pop_back();
}

void Iterations::note_in(TaskLife& life) const {
  const auto row = rows_.find(life.context);
  if (row == rows_.end()) return;
  for (const Open& open : row->second.open) {
    if (life.iteration_depth == life.iterations.size()) break;
    life.iterations[life.iteration_depth++] = open.number;
  }
}

void Iterations::add_row(const Open& open, int64_t end_ns) {
  RegionRow row;
  row.begin_ns = open.begin_ns;
  row.end_ns = end_ns;
  row.number = open.number;
  row.name = parts_->model.names.of(open.name);
  row.kind = RegionKind::kIteration;
  parts_->model.rows.add(row);
}

void Iterations::finish(int64_t end_ns) {
  for (auto& [context, row] : rows_) {
    for (const Open& open : row.open) add_row(open, end_ns);
    Lane& lane = row.lane;
    lane.close_all(end_ns, [&lane](Lane::Handle slice) {
      lane[slice].arguments.add({"unfinished", true});
    });
  }
}

}  // namespace perseid::starpu::decoding
