// capture/string_table.h: names by id, as the strings file holds them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "capture/damage.h"
#include "capture/file.h"

namespace perseid {

/// Keeps the used part of the file in memory, at most kMaxBytes of it. Texts stay valid as long
/// as the table.
class StringTable {
 public:
  static constexpr uint64_t kMaxBytes = uint64_t{256} << 20;

  StringTable() = default;
  StringTable(File file, uint64_t session, DamageLog& damages);

  /// A text that cannot be read is reported once and shown as "(unreadable name)".
  std::string_view text(uint32_t id) {
    if (id < texts_.size() && texts_[id].data() != nullptr) [[likely]]
      return texts_[id];
    return find(id);
  }

 private:
  std::string_view find(uint32_t id);
  uint64_t used_bytes() const noexcept;
  /// Reads what the file has grown to: a live recorder adds names.
  void refresh();

  File file_;
  DamageLog* damages_ = nullptr;
  bool is_sound_ = false;
  uint64_t loaded_ = 0;                  // bytes of the file in `blocks_`
  std::deque<std::string> blocks_;       // in file order; a block is never moved
  std::vector<uint64_t> block_ends_;     // file offset after each block
  std::vector<std::string_view> texts_;  // by id; null data: not looked up yet
};

}  // namespace perseid
