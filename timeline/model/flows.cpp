// timeline/model/flows.cpp: joins the two ends of an arrow.
#include "timeline/model/flows.h"

namespace perseid {

FlowEnd Flows::out(uint64_t user_id, int64_t at_ns, int64_t source_begin_ns) {
  const Source source{user_id, ++last_id_, source_begin_ns};
  size_t place = latest_.size();
  if (place < kMaxOpen) {
    latest_.push_back(source);
  } else {
    place = oldest_;
    oldest_ = (oldest_ + 1) % kMaxOpen;
    const uint64_t forgotten = latest_[place].user_id;
    const uint32_t* const known = places_.find(forgotten);
    if (known != nullptr && *known == place) places_.erase(forgotten);
    latest_[place] = source;
  }
  places_[user_id] = static_cast<uint32_t>(place);
  return {source.id, true, at_ns, source_begin_ns};
}

std::optional<FlowEnd> Flows::in(uint64_t user_id, int64_t at_ns) {
  const uint32_t* const place = places_.find(user_id);
  if (place == nullptr) {
    ++unmatched_;
    return std::nullopt;
  }
  const Source& source = latest_[*place];
  return FlowEnd{source.id, false, at_ns, source.begin_ns};
}

}  // namespace perseid
