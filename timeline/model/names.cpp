// timeline/model/names.cpp: gives out numbers in order of first appearance.
#include "timeline/model/names.h"

namespace perseid {

NameId NameIds::of(std::string_view text) {
  if (text.empty()) return 0;
  const auto known = ids_.find(text);
  if (known != ids_.end()) return known->second;
  texts_.emplace_back(text);
  const auto id = static_cast<NameId>(texts_.size());
  ids_.emplace(texts_.back(), id);
  return id;
}

}  // namespace perseid
