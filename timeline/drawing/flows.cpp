// timeline/drawing/flows.cpp: joins the two ends of an arrow.
#include "timeline/drawing/flows.h"

#include <algorithm>

namespace perseid {

FlowEnd Flows::out(uint64_t user_id, int64_t at_ns, int64_t source_begin_ns) {
  if (newest_ == latest_.size() && newest_ < kMaxOpen) [[unlikely]]
    grow();
  ++newest_;
  ++last_id_;
  link({user_id, last_id_, source_begin_ns, 0}, newest_);
  return {last_id_, true, at_ns, source_begin_ns};
}

void Flows::link(Source made, uint64_t number) noexcept {
  Chain& in = chain(made.user_id);
  made.previous = in.newest;
  // An id that is used over and over takes a single place.
  if (in.newest_id == made.user_id && is_remembered(in.newest)) {
    made.previous = source(in.newest).previous;
  }
  in = {made.user_id, number};
  source(number) = made;
}

std::optional<FlowEnd> Flows::in(uint64_t user_id, int64_t at_ns) {
  uint64_t number = chains_.empty() ? 0 : chain(user_id).newest;
  while (is_remembered(number)) {
    const Source& known = source(number);
    if (known.user_id == user_id) return FlowEnd{known.id, false, at_ns, known.begin_ns};
    number = known.previous;
  }
  ++unmatched_;
  return std::nullopt;
}

/// Only while nothing has been forgotten yet: sources 1 to newest_ are all there.
void Flows::grow() {
  std::vector<Source> old = std::move(latest_);
  latest_.assign(std::max<size_t>(64, 2 * old.size()), Source{});
  chains_.assign(latest_.size(), Chain{});
  for (uint64_t number = 1; number <= newest_; ++number) {
    link(old[number & (old.size() - 1)], number);
  }
}

}  // namespace perseid
