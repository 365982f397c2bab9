// ompt/decode/dependences.cpp: see decode_dependences.h.
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

void DependenceScope::add(const NodePtr& node, std::span<const uint64_t> words,
                          DependenceBudget& budget) {
  record_ = budget.next_record();
  for (const NodePtr& known : node->predecessors) known->listed_in = record_;
  for (size_t i = 0; i < words.size(); ++i) {
    const uint64_t address = words[i] & kDependenceAddress;
    const auto type = static_cast<uint32_t>(words[i] >> kDependenceTypeShift);
    if (is_all_memory(address, type)) return access_all(node, budget);
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
  for (const auto& [address, type] : accesses) access(node, address, type, budget);
}

void DependenceScope::access(const NodePtr& node, uint64_t address, uint32_t type,
                             DependenceBudget& budget) {
  const auto [at, is_new] = addresses_.try_emplace(address);
  Address& state = at->second;
  if (is_new && latest_all_) state.current.join(latest_all_);
  const uint32_t set_kind = set_kind_of(type);
  if (set_kind != 0 && set_kind == state.set_kind) {
    depend(node, state.previous, budget);
  } else {
    depend(node, state.current, budget);
    state.previous = std::exchange(state.current, {});
    state.set_kind = set_kind;
  }
  state.current.join(node);
}

void DependenceScope::access_all(const NodePtr& node, DependenceBudget& budget) {
  if (latest_all_) depend(node, {&latest_all_, 1}, budget);
  for (const auto& [address, state] : addresses_) depend(node, state.current, budget);
  addresses_.clear();
  latest_all_ = node;
}

void DependenceScope::depend(const NodePtr& node, std::span<const NodePtr> on,
                             DependenceBudget& budget) {
  for (const NodePtr& predecessor : on.last(budget.take(on.size()))) {
    if (predecessor == node) continue;
    if (std::exchange(predecessor->listed_in, record_) == record_) continue;
    node->predecessors.push_back(predecessor);
  }
}

void DependenceScope::depend(const NodePtr& node, const Generation& on, DependenceBudget& budget) {
  depend(node, on.members, budget);
  node->forgotten_predecessors += on.forgotten;
}

void DependenceScope::Generation::join(const NodePtr& node) {
  if (members.size() >= most) forget();
  members.push_back(node);
}

/// Many tasks may read what nobody ever writes again. Those that are over hold back nobody: of them
/// the latest stay for arrows, and the one that ended last, which explains a wait.
void DependenceScope::Generation::forget() {
  constexpr size_t kKept = 64;
  const auto by_end = [](const NodePtr& a, const NodePtr& b) { return a->ended < b->ended; };
  const NodePtr last = *std::max_element(members.begin(), members.end(), by_end);
  size_t left = members.size();
  forgotten += std::erase_if(members, [&](const NodePtr& node) {
    return left-- > kKept && node->is_over && node != last;
  });
  most = std::max(most, 2 * members.size());
}

}  // namespace perseid::ompt
