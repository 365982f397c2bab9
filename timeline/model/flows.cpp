// timeline/model/flows.cpp: joins the two ends of an arrow.
#include "timeline/model/flows.h"

namespace perseid {

FlowEnd Flows::out(uint64_t user_id, int64_t at_ns, int64_t source_begin_ns) {
  const Entered entered{user_id, ++last_id_};
  if (latest_.size() < kMaxOpen) {
    latest_.push_back(entered);
  } else {
    const Entered forgotten = latest_[oldest_];
    const Source* const source = sources_.find(forgotten.user_id);
    if (source != nullptr && source->id == forgotten.id) sources_.erase(forgotten.user_id);
    latest_[oldest_] = entered;
    oldest_ = (oldest_ + 1) % kMaxOpen;
  }
  sources_[user_id] = {entered.id, source_begin_ns};
  return {entered.id, true, at_ns, source_begin_ns};
}

std::optional<FlowEnd> Flows::in(uint64_t user_id, int64_t at_ns) {
  const Source* const source = sources_.find(user_id);
  if (source == nullptr) {
    ++unmatched_;
    return std::nullopt;
  }
  return FlowEnd{source->id, false, at_ns, source->begin_ns};
}

}  // namespace perseid
