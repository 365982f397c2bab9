// timeline/analysis/dense_ids.h: a table of small numbers by ids that are given out in order.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace perseid {

/// Neighbours share cache lines, and nothing is hashed. Pages without ids are used again: memory
/// follows the ids that are there, but for eight bytes per 512 that have been.
class DenseIds {
 public:
  static constexpr uint32_t kNone = ~uint32_t{0};

  uint32_t find(uint64_t id) const noexcept {
    const uint64_t page = id / kPageSize;
    if (page >= pages_.size() || pages_[page] == nullptr) return kNone;
    return pages_[page]->values[id % kPageSize];
  }
  /// The id is not there.
  void insert(uint64_t id, uint32_t value) {
    const uint64_t at = id / kPageSize;
    if (at >= pages_.size()) pages_.resize(at + 1);
    std::unique_ptr<Page>& page = pages_[at];
    if (page == nullptr) {
      page = free_ != nullptr ? std::move(free_) : std::make_unique<Page>();
      page->values.fill(kNone);
    }
    page->values[id % kPageSize] = value;
    ++page->used;
  }
  /// The id is there.
  void erase(uint64_t id) noexcept {
    std::unique_ptr<Page>& page = pages_[id / kPageSize];
    page->values[id % kPageSize] = kNone;
    if (--page->used == 0) free_ = std::move(page);
  }

 private:
  static constexpr uint64_t kPageSize = 512;
  struct Page {
    std::array<uint32_t, kPageSize> values;
    uint32_t used = 0;
  };

  std::vector<std::unique_ptr<Page>> pages_;
  std::unique_ptr<Page> free_;  // one: the next page is mostly needed when the oldest goes
};

}  // namespace perseid
