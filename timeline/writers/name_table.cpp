// timeline/writers/name_table.cpp: the way through the hash table.
#include "timeline/writers/name_table.h"

namespace perseid {

uint32_t NameTable::look_up(std::string_view text, Recent& recent) {
  std::string key(text);
  auto known = numbers_.find(key);
  if (known == numbers_.end()) {
    if (texts_.size() >= kMaxNames) return kNone;
    const auto number = static_cast<uint32_t>(texts_.size());
    known = numbers_.emplace(std::move(key), number).first;
    texts_.push_back(&known->first);
  }
  recent = {text.data(), known->first.data(), text.size(), known->second};
  return known->second;
}

}  // namespace perseid
