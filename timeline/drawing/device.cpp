// timeline/drawing/device.cpp: orders the work of a device by its begin, as slices and rows.
#include "timeline/drawing/device.h"

#include <fmt/format.h>

#include <algorithm>

namespace perseid {
namespace {

constexpr uint32_t kRowsPerDevice = 1u << 16;
constexpr uint32_t kMaxRow = 255;
/// After the workers of a runtime, which are among the devices too.
constexpr uint32_t kFirstPlace = 1024;
constexpr uint32_t kMaxPlace = 2047;

DeviceWorkKind kind_of(const Category& category) {
  if (category.name == kKernelCategory.name) return DeviceWorkKind::kKernel;
  if (category.name == kCopyCategory.name) return DeviceWorkKind::kCopy;
  return category.name == kFillCategory.name ? DeviceWorkKind::kFill : DeviceWorkKind::kOther;
}

}  // namespace

Device::Device(Model& model, std::string label, uint32_t place)
    : model_(&model), label_(label), title_(std::move(label)), place_(std::min(place, kMaxPlace)) {}

void Device::set_name(std::string_view name) {
  if (name.empty()) return;
  title_ = fmt::format("{} · {}", label_, name);
  for (auto& [number, row] : rows_) {
    if (row.lane) model_->tracks.rename(row.lane->track(), row_title(row));
  }
}

void Device::name_row(uint64_t number, std::string name) {
  RowLane& row = rows_[number];
  row.name = std::move(name);
  if (row.lane) model_->tracks.rename(row.lane->track(), row_title(row));
}

std::string Device::row_title(const RowLane& row) const {
  return row.name.empty() ? title_ : fmt::format("{} · {}", title_, row.name);
}

void Device::add(std::unique_ptr<DeviceWork> work) {
  waiting_.push_back(std::move(work));
  std::push_heap(waiting_.begin(), waiting_.end(), Later());
  if (waiting_.size() > kMaxWaiting) show_first();
}

void Device::show_first() {
  std::pop_heap(waiting_.begin(), waiting_.end(), Later());
  const std::unique_ptr<DeviceWork> work = std::move(waiting_.back());
  waiting_.pop_back();
  RowLane& row = rows_[work->row];
  if (!row.lane) {
    uint32_t nth = 0;
    for (auto at = rows_.begin(); at->first != work->row && nth < kMaxRow; ++at) ++nth;
    const uint32_t order = (kFirstPlace + place_) * kRowsPerDevice + nth;
    row.lane = std::make_unique<Lane>(model_->add_row(row_title(row), TrackGroup::kDevices, order));
  }
  if (work->is_busy) count(*work);
  model_->rows.add(DeviceRow{work->begin_ns, work->end_ns, work->row, work->task, place_,
                             model_->names.of_lasting(work->name), kind_of(work->category)});

  Slice slice;
  slice.begin_ns = work->begin_ns;
  slice.end_ns = work->end_ns;
  slice.name = work->name;
  slice.set_category(work->category);
  slice.arguments = work->arguments.items();
  if (work->in.id != 0) slice.flows = {&work->in, 1};
  row.lane->add_apart(slice);
}

void Device::count(const DeviceWork& work) {
  if (!busy_) busy_ = std::make_unique<Counter>(model_->tracks, model_->sink, label_ + " busy");
  count_until(work.begin_ns);
  busy_->add(counted_ns_ = std::max(counted_ns_, work.begin_ns), 1);
  ends_.push(work.end_ns);
}

void Device::count_until(int64_t at_ns) {
  while (!ends_.empty() && ends_.top() <= at_ns) {
    busy_->add(counted_ns_ = std::max(counted_ns_, ends_.top()), -1);
    ends_.pop();
  }
}

Counter& Device::counter(std::string_view name) {
  const auto known = counters_.find(name);
  if (known != counters_.end()) return known->second;
  return counters_
      .try_emplace(std::string(name), model_->tracks, model_->sink,
                   fmt::format("{} {}", label_, name))
      .first->second;
}

void Device::finish() {
  while (!waiting_.empty()) show_first();
  if (busy_) count_until(INT64_MAX);
}

}  // namespace perseid
