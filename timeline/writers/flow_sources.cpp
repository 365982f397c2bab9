// timeline/writers/flow_sources.cpp: see flow_sources.h.
#include "timeline/writers/flow_sources.h"

namespace perseid {

FlowSources::End FlowSources::end(uint64_t id) {
  FlowSource* const source = sources_.empty() ? nullptr : &sources_[place_of(id)];
  if (source == nullptr || source->id != id) {
    if (waiting_.size() >= kMost) return {id, nullptr};
    const auto [waiting, is_first] = waiting_.try_emplace(id);
    if (is_first) return {id, nullptr};
    waiting->second.push_back(kFork | ++forks_);
    return {kFork | forks_, nullptr};
  }
  if (!std::exchange(source->has_first_end, true) || !source->is_innermost) return {id, nullptr};
  return {kFork | ++forks_, source};
}

std::vector<uint64_t> FlowSources::add(FlowSource source) {
  std::vector<uint64_t> forks;
  if (!waiting_.empty()) {
    const auto found = waiting_.find(source.id);
    if (found != waiting_.end()) {
      forks = std::move(found->second);
      waiting_.erase(found);
      source.has_first_end = true;
    }
  }
  if (count_++ >= sources_.size() && sources_.size() < kMost) grow();
  sources_[place_of(source.id)] = source;
  return forks;
}

void FlowSources::grow() {
  std::vector<FlowSource> before(sources_.empty() ? 1024 : 2 * sources_.size());
  sources_.swap(before);
  for (const FlowSource& source : before) {
    if (source.id != 0) sources_[place_of(source.id)] = source;
  }
}

}  // namespace perseid
