// ompt/decode/dependences.cpp: from kinds of dependences to kinds of accesses.
#include "ompt/decode/dependences.h"

#include <algorithm>
#include <utility>

#include "ompt/events.h"
#include "ompt/numbers.h"

namespace perseid::ompt {
namespace {

bool is_all_memory(uint64_t address, uint32_t type) {
  return address == 0 || type >= static_cast<uint32_t>(DependenceType::kOutAllMemory);
}

AccessKind access_kind(uint32_t type) {
  switch (static_cast<DependenceType>(type)) {
    case DependenceType::kIn:
      return AccessKind::kRead;
    case DependenceType::kMutexinoutset:
      return AccessKind::kCommutingWrite;
    case DependenceType::kInoutset:
      return AccessKind::kExclusiveSet;
    default:
      return AccessKind::kWrite;
  }
}

}  // namespace

uint64_t DependenceScope::add(Tasks& tasks, Tasks::Ref task, std::span<const uint64_t> words,
                              int64_t at_ns) {
  predecessors_.clear();
  more_predecessors_ = 0;
  accesses_.clear();
  bool is_all = false;
  for (const uint64_t word : words) {
    const uint64_t address = word & kDependenceAddress;
    const auto type = static_cast<uint32_t>(word >> kDependenceTypeShift);
    is_all = is_all || is_all_memory(address, type);
    // A task that names an address twice holds it in the stronger way.
    const auto known = std::find_if(accesses_.begin(), accesses_.end(),
                                    [&](const auto& access) { return access.first == address; });
    if (known == accesses_.end()) {
      accesses_.emplace_back(address, type);
    } else if (known->second != type) {
      known->second = static_cast<uint32_t>(DependenceType::kInout);
    }
  }
  if (is_all) {
    access_all(tasks, task, at_ns);
  } else {
    for (const auto& [address, type] : accesses_) access(tasks, task, address, type, at_ns);
  }
  std::sort(predecessors_.begin(), predecessors_.end());
  const auto end = std::unique(predecessors_.begin(), predecessors_.end());
  const auto found = static_cast<uint64_t>(end - predecessors_.begin());
  const bool has_itself = std::binary_search(predecessors_.begin(), end, tasks.id(task));
  return found - (has_itself ? 1 : 0) + more_predecessors_;
}

DependenceScope::Address& DependenceScope::find_or_add(Tasks& tasks, uint64_t address) {
  uint32_t& place = places_[address];  // from 1 on
  if (place == 0) {
    addresses_.emplace_back();
    addresses_.back().data = tasks.rows().add_new(DataRow{});
    place = static_cast<uint32_t>(addresses_.size());
  }
  Address& found = addresses_[place - 1];
  if (found.epoch != epoch_) {
    found.epoch = epoch_;
    used_.push_back(place - 1);
    if (latest_all_ != Tasks::kNone) {
      found.order.follow(tasks, latest_all_);
      found.kind = AccessKind::kWrite;
      found.current.add(tasks.id(latest_all_));
    }
  }
  return found;
}

void DependenceScope::access(Tasks& tasks, Tasks::Ref task, uint64_t address, uint32_t type,
                             int64_t at_ns) {
  Address& found = find_or_add(tasks, address);
  const AccessKind kind = access_kind(type);
  if (kind != found.kind || kind == AccessKind::kWrite) {
    std::swap(found.before, found.current);
    found.current.clear();
    found.kind = kind;
  }
  count(found.before);
  found.order.access(tasks, kind, task, found.data, at_ns);
  found.current.add(tasks.id(task));
}

void DependenceScope::access_all(Tasks& tasks, Tasks::Ref task, int64_t at_ns) {
  if (latest_all_ != Tasks::kNone) {
    tasks.depend(task, latest_all_, EdgeCause::kData);
    predecessors_.push_back(tasks.id(latest_all_));
  }
  for (const uint32_t place : used_) {
    Address& used = addresses_[place];
    count(used.current);
    if (used.order.latest() != latest_all_) {
      tasks.depend(task, used.order.latest(), EdgeCause::kData, used.data);
    }
  }
  clear(tasks, at_ns);
  ++epoch_;
  tasks.hold(task);
  latest_all_ = task;
}

void DependenceScope::count(const Members& members) {
  predecessors_.insert(predecessors_.end(), members.named.begin(), members.named.end());
  more_predecessors_ += members.more;
}

void DependenceScope::clear(Tasks& tasks, int64_t at_ns) {
  for (const uint32_t place : used_) {
    Address& used = addresses_[place];
    used.order.clear(tasks, at_ns);
    used.kind = AccessKind::kRead;
    used.current.clear();
    used.before.clear();
    used.epoch = 0;
  }
  used_.clear();
  if (latest_all_ != Tasks::kNone) {
    tasks.release(std::exchange(latest_all_, Tasks::kNone), at_ns);
  }
}

}  // namespace perseid::ompt
