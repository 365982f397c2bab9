// timeline/model/names.h: one number for each text that rows name.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>

#include "timeline/model/id_table.h"
#include "timeline/model/rows.h"

namespace perseid {

class NameIds {
 public:
  /// The number of `text`, which is copied if it is new; 0 for "".
  NameId of(std::string_view text);
  /// The number of a text that stays where it is, and unchanged, as long as this object: saves
  /// comparing it each time.
  NameId of_lasting(std::string_view text) {
    if (text.empty()) return 0;
    NameId& known = by_place_[reinterpret_cast<uintptr_t>(text.data()) ^
                              static_cast<uint64_t>(text.size()) << 48];
    if (known == 0) known = of(text);
    return known;
  }
  /// "" for 0 and for numbers that were never given.
  std::string_view text(NameId id) const noexcept {
    return id != 0 && id <= texts_.size() ? std::string_view(texts_[id - 1]) : std::string_view();
  }

 private:
  std::deque<std::string> texts_;  // they never move
  std::unordered_map<std::string_view, NameId> ids_;
  IdTable<NameId> by_place_;
};

}  // namespace perseid
