// timeline/writers/flow_sources.cpp: see flow_sources.h.
#include "timeline/writers/flow_sources.h"

#include <utility>

namespace perseid {
namespace {

/// Ids that several processes made on their own are in no order.
bool is_in_order(uint64_t id) { return (id & kSharedFlow) == 0; }

}  // namespace

FlowSources::End FlowSources::end(uint64_t id) {
  if (table_ == nullptr || !is_in_order(id)) return {id, nullptr};
  FlowSource& source = at(id);
  if (source.id < id) {
    if (waiting_.size() >= kMost) return {id, nullptr};
    const auto [waiting, is_first] = waiting_.try_emplace(id);
    if (is_first) return {id, nullptr};
    waiting->second.push_back(kFork | ++forks_);
    return {kFork | forks_, nullptr};
  }
  if (source.id != id || !std::exchange(source.has_first_end, true) || !source.is_innermost) {
    return {id, nullptr};
  }
  return {kFork | ++forks_, &source};
}

std::vector<uint64_t> FlowSources::add(FlowSource source) {
  if (table_ == nullptr || !is_in_order(source.id)) return {};
  std::vector<uint64_t> forks;
  if (!waiting_.empty()) {
    const auto found = waiting_.find(source.id);
    if (found != waiting_.end()) {
      forks = std::move(found->second);
      waiting_.erase(found);
      source.has_first_end = true;
    }
  }
  FlowSource& place = at(source.id);
  if (place.id < source.id) place = source;
  return forks;
}

}  // namespace perseid
