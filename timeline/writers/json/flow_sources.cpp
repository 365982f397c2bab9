// timeline/writers/json/flow_sources.cpp: gives every arrow of JSON a start and an id of its own.
#include "timeline/writers/json/flow_sources.h"

#include <utility>

#include "timeline/model/message_ids.h"

namespace perseid {
namespace {

/// Ids that several processes made on their own are in no order.
bool is_in_order(uint64_t id) { return (id & kSharedFlow) == 0; }

/// Made from the id alone: timelines of several processes can become one.
uint64_t fork_of(uint64_t id, uint64_t number) {
  constexpr uint64_t kFork = uint64_t{1} << 63;  // no id of the model has it
  uint64_t mixed = id + number * 0x9e3779b97f4a7c15;
  mixed = (mixed ^ mixed >> 30) * 0xbf58476d1ce4e5b9;
  mixed = (mixed ^ mixed >> 27) * 0x94d049bb133111eb;
  return kFork | (mixed ^ mixed >> 31);
}

}  // namespace

FlowSources::End FlowSources::end(uint64_t id) {
  if (!is_in_order(id)) return {id, nullptr};
  FlowSource* const source = sources_.find(id);
  if (source == nullptr) {
    if (sources_.is_past(id) || waiting_.size() >= kMax) return {id, nullptr};
    const auto [waiting, is_first] = waiting_.try_emplace(id);
    if (is_first) return {id, nullptr};
    std::vector<uint64_t>& forks = waiting->second;
    forks.push_back(fork_of(id, forks.size() + 1));
    return {forks.back(), nullptr};
  }
  const uint32_t ends_before = source->ends++;
  if (ends_before == 0 || !source->is_innermost || has_point(*source)) return {id, nullptr};
  return {fork_of(id, ends_before), source};
}

std::vector<uint64_t> FlowSources::add(FlowSource source) {
  if (!is_in_order(source.id)) return {};
  std::vector<uint64_t> forks;
  if (!waiting_.empty()) {
    const auto found = waiting_.find(source.id);
    if (found != waiting_.end()) {
      forks = std::move(found->second);
      waiting_.erase(found);
      source.ends = static_cast<uint32_t>(1 + forks.size());
    }
  }
  sources_.put(source.id, source);
  return forks;
}

}  // namespace perseid
