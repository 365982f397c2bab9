// ompt/decode_dependences.cpp: see decode_dependences.h.
#include "ompt/decode_dependences.h"

#include <algorithm>

#include "ompt/events.h"
#include "ompt/numbers.h"

namespace perseid::ompt {
namespace {

bool is_all_memory(uint64_t address, uint32_t type) {
  return address == 0 || type >= static_cast<uint32_t>(DependenceType::kOutAllMemory);
}

/// The type if several tasks may hold it together, else 0.
uint32_t set_kind_of(uint32_t type) {
  switch (static_cast<DependenceType>(type)) {
    case DependenceType::kIn:
    case DependenceType::kMutexinoutset:
    case DependenceType::kInoutset:
      return type;
    default:
      return 0;
  }
}

}  // namespace

void DependenceScope::add(const NodePtr& node, std::span<const uint64_t> words) {
  for (size_t i = 0; i < words.size(); ++i) {
    const uint64_t address = words[i] & kDependenceAddress;
    const auto type = static_cast<uint32_t>(words[i] >> kDependenceTypeShift);
    if (is_all_memory(address, type)) return access_all(node);
  }
  // A task that names an address twice holds it in the stronger way.
  std::vector<std::pair<uint64_t, uint32_t>> accesses;
  for (const uint64_t word : words) {
    const uint64_t address = word & kDependenceAddress;
    const auto type = static_cast<uint32_t>(word >> kDependenceTypeShift);
    const auto known = std::find_if(accesses.begin(), accesses.end(),
                                    [&](const auto& access) { return access.first == address; });
    if (known == accesses.end()) {
      accesses.emplace_back(address, type);
    } else if (known->second != type) {
      known->second = static_cast<uint32_t>(DependenceType::kInout);
    }
  }
  for (const auto& [address, type] : accesses) access(node, address, type);
}

void DependenceScope::access(const NodePtr& node, uint64_t address, uint32_t type) {
  const auto [at, is_new] = addresses_.try_emplace(address);
  Address& state = at->second;
  if (is_new && latest_all_) state.current.push_back(latest_all_);
  const uint32_t set_kind = set_kind_of(type);
  if (set_kind != 0 && set_kind == state.set_kind) {
    depend(node, state.previous);
  } else {
    depend(node, state.current);
    state.previous = std::move(state.current);
    state.current.clear();
    state.set_kind = set_kind;
  }
  if (state.current.size() == kLongestGeneration) state.current.erase(state.current.begin());
  state.current.push_back(node);
}

void DependenceScope::access_all(const NodePtr& node) {
  if (latest_all_) depend(node, {latest_all_});
  for (const auto& [address, state] : addresses_) depend(node, state.current);
  addresses_.clear();
  latest_all_ = node;
}

void DependenceScope::depend(const NodePtr& node, const std::vector<NodePtr>& on) {
  auto& known = node->predecessors;
  for (const NodePtr& predecessor : on) {
    if (predecessor == node) continue;
    if (std::find(known.begin(), known.end(), predecessor) == known.end()) {
      known.push_back(predecessor);
    }
  }
}

}  // namespace perseid::ompt
