// starpu_hooks/decode/data.cpp: names, places and the order of accesses of each handle.
#include "starpu_hooks/decode/data.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "starpu_hooks/events.h"

namespace perseid::starpu::decoding {
namespace {

/// Names of at most this many handles outlive their registration.
constexpr size_t kMaxRetired = 4096;
constexpr int kMaxNameDepth = 8;  // parts of parts
/// Addresses of one handle, on all nodes: a damaged capture may add a new one again and again.
constexpr size_t kMaxPlaces = 1024;
constexpr size_t kMaxShown = 4;  // ways to use one piece of data, mostly two

}  // namespace

std::string_view mode_name(uint32_t mode) {
  if ((mode & kScratch) != 0) return "scratch";
  if ((mode & kReduction) != 0) return "reduction";
  const bool commutes = (mode & kCommute) != 0;
  switch (mode & (kRead | kWrite)) {
    case kRead:
      return "R";
    case kWrite:
      return commutes ? "W commute" : "W";
    case kRead | kWrite:
      return commutes ? "RW commute" : "RW";
    default:
      return "no access";
  }
}

DataTable::Facts& DataTable::renew(uint64_t handle) {
  Facts& facts = facts_[handle];
  forget_places(handle, facts);
  facts.order.clear(model_->tasks, *now_ns_);
  facts = Facts{};
  ++names_;
  return facts;
}

DataId DataTable::id(uint64_t handle) {
  if (handle == 0) return 0;
  Facts& facts = facts_[handle];
  if (facts.id == 0) {
    facts.id = model_->rows.add_new(row_of(facts, handle));
  }
  return facts.id;
}

DataRow DataTable::row_of(const Facts& facts, uint64_t handle) const {
  const auto parent = facts_.find(facts.parent);
  const DataId parent_id =
      facts.parent != 0 && parent != facts_.end() ? parent->second.id : DataId{0};
  return {facts.bytes, facts.id, parent_id, model_->names.of(name(handle))};
}

void DataTable::add(const Payload& words) {
  if (words[0] == 0) return;
  renew(words[0]).bytes = words[1];
  if (words[2] != 0) place(words[0], 0, words[2], words[1]);
}

void DataTable::set_name(uint32_t name, const Payload& words) {
  if (words[0] == 0) return;
  Facts& facts = facts_[words[0]];
  facts.name = name;
  ++names_;
  if (facts.id != 0) model_->rows.add(row_of(facts, words[0]));
}

void DataTable::set_coordinates(uint32_t count, const Payload& words) {
  if (words[0] == 0) return;
  std::vector<int64_t>& coordinates = facts_[words[0]].coordinates;
  coordinates.clear();
  ++names_;
  const size_t present = words.from(1).size();
  for (size_t i = 0; i < std::min<size_t>(count, present); ++i) {
    coordinates.push_back(static_cast<int32_t>(words[1 + i]));
  }
}

void DataTable::set_partition(uint32_t what, const Payload& words) {
  constexpr uint32_t kTakenBack = 2;
  const uint64_t parent = words[0];
  if (parent == 0) return;
  ++names_;
  if (what == kTakenBack) {
    std::vector<uint64_t> taken;
    for (size_t at = 1; at < words.size(); at += 3) taken.push_back(words[at]);
    std::vector<uint64_t>& children = facts_[parent].children;
    // A handle may be planned in several ways; older recorders name none of the parts.
    if (taken.empty()) {
      taken = std::exchange(children, {});
    } else {
      std::ranges::sort(taken);
      std::erase_if(children,
                    [&](uint64_t child) { return std::ranges::binary_search(taken, child); });
    }
    for (const uint64_t child : taken) {
      const auto known = facts_.find(child);
      if (known != facts_.end() && known->second.parent == parent) retire(child);
    }
    return;
  }
  for (size_t at = 1; at < words.size(); at += 3) {
    Facts& child = renew(words[at]);
    std::vector<uint64_t>& children = facts_[parent].children;
    child.parent = parent;
    child.index = static_cast<uint32_t>(children.size());
    children.push_back(words[at]);
    child.bytes = words[at + 1];
    if (words[at + 2] != 0) place(words[at], 0, words[at + 2], words[at + 1]);
  }
}

void DataTable::add_address(uint32_t node, const Payload& words) {
  if (words[0] != 0 && words[1] != 0) place(words[0], node, words[1], words[2]);
}

void DataTable::retire(uint64_t handle) {
  const auto known = facts_.find(handle);
  if (known == facts_.end()) return;
  known->second.order.clear(model_->tasks, *now_ns_);
  forget_places(handle, known->second);
  if (known->second.is_retired) return;
  known->second.is_retired = true;
  known->second.is_leaving = false;
  retired_.push_back(handle);
  if (retired_.size() <= kMaxRetired) return;
  const auto oldest = facts_.find(retired_.front());
  retired_.pop_front();
  if (oldest == facts_.end() || !oldest->second.is_retired) return;
  facts_.erase(oldest);
  ++names_;
}

void DataTable::retire_after_access(uint64_t handle) {
  const auto known = facts_.find(handle);
  if (known != facts_.end()) known->second.is_leaving = true;
}

bool DataTable::is_leaving(uint64_t handle) const {
  const auto known = facts_.find(handle);
  return known != facts_.end() && known->second.is_leaving;
}

void DataTable::clear() {
  for (auto& [handle, facts] : facts_) facts.order.clear(model_->tasks, *now_ns_);
  facts_.clear();
  addresses_.clear();
  retired_.clear();
}

std::string DataTable::name(uint64_t handle) const {
  std::string parts;
  for (int depth = 0; depth < kMaxNameDepth; ++depth) {
    const auto known = facts_.find(handle);
    if (known == facts_.end()) break;
    const Facts& facts = known->second;
    const std::string place =
        facts.coordinates.empty() ? "" : fmt::format("({})", fmt::join(facts.coordinates, ","));
    if (facts.name != 0) {
      return fmt::format("{}{}{}", model_->strings.text(facts.name), place, parts);
    }
    if (!place.empty()) return fmt::format("data{}{}", place, parts);
    if (facts.parent == 0) break;
    parts = fmt::format("[{}]{}", facts.index, parts);
    handle = facts.parent;
  }
  return fmt::format("0x{:x}{}", handle, parts);
}

std::string_view DataTable::describe_access(uint64_t handle, uint32_t mode, uint64_t bytes) {
  const auto make = [&] { return fmt::format("{} {} {} B", mode_name(mode), name(handle), bytes); };
  const auto known = facts_.find(handle);
  if (known == facts_.end()) return text_ = make();
  Facts& facts = known->second;
  if (facts.shown_at != names_) facts.shown.clear();
  facts.shown_at = names_;
  for (const ShownAccess& shown : facts.shown) {
    if (shown.mode == mode && shown.bytes == bytes) return shown.text;
  }
  if (facts.shown.size() >= kMaxShown) facts.shown.erase(facts.shown.begin());
  facts.shown.push_back({mode, bytes, make()});
  return facts.shown.back().text;
}

void DataTable::place(uint64_t handle, uint32_t node, uint64_t address, uint64_t bytes) {
  Facts& facts = facts_[handle];
  for (Place& known : facts.places) {
    if (known.node == node && known.address == address) return;
  }
  if (facts.places.size() >= kMaxPlaces) return;
  facts.places.push_back({node, address});
  addresses_[node].emplace(address, Extent{bytes, handle});
}

void DataTable::forget_places(uint64_t handle, Facts& facts) {
  for (const Place& known : facts.places) {
    AddressMap& map = addresses_[known.node];
    auto [at, end] = map.equal_range(known.address);
    while (at != end) at = at->second.handle == handle ? map.erase(at) : std::next(at);
  }
  facts.places.clear();
}

uint64_t DataTable::find(uint32_t node, uint64_t address, uint64_t bytes) const {
  constexpr int kMaxSteps = 64;  // back from an address inside a large piece
  const auto map = addresses_.find(node);
  if (map == addresses_.end()) return 0;
  const Extent* best = nullptr;
  auto at = map->second.upper_bound(address);
  for (int step = 0; step < kMaxSteps && at != map->second.begin(); ++step) {
    --at;
    const Extent& extent = at->second;
    // Tiles of a matrix lie in each other's extent: only the first address distinguishes them.
    if (at->first == address && extent.bytes == bytes) return extent.handle;
    if (address - at->first >= extent.bytes || address - at->first + bytes > extent.bytes) continue;
    if (best == nullptr || extent.bytes < best->bytes) best = &extent;
  }
  return best != nullptr ? best->handle : 0;
}

}  // namespace perseid::starpu::decoding
