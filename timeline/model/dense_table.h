// timeline/model/dense_table.h: values by ids that are given out one after the other and leave in
// about that order, such as those of tasks.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <utility>
#include <vector>

namespace perseid {

/// Pages of neighbours, without hashing and without empty slots between them. A page goes when its
/// last value goes, and its memory is used again: memory follows the ids that are in the table, as
/// long as those that stay are not spread over all pages.
template <class Value>
class DenseTable {
 public:
  Value* find(uint64_t id) noexcept {
    const uint64_t number = id / kPageSize;
    if (number < first_ || number - first_ >= pages_.size()) return nullptr;
    Page* const page = pages_[number - first_].get();
    if (page == nullptr || !page->is_used[id % kPageSize]) return nullptr;
    return &page->values[id % kPageSize];
  }

  /// The value of `id`, made if it is new. Valid until it is erased.
  Value& operator[](uint64_t id) {
    Page& page = page_of(id / kPageSize);
    bool& is_used = page.is_used[id % kPageSize];
    if (!is_used) {
      is_used = true;
      ++page.size;
      ++size_;
    }
    return page.values[id % kPageSize];
  }

  void erase(uint64_t id) noexcept {
    Value* const known = find(id);
    if (known == nullptr) return;
    *known = Value{};
    std::unique_ptr<Page>& page = pages_[id / kPageSize - first_];
    page->is_used[id % kPageSize] = false;
    --size_;
    if (--page->size > 0) return;
    if (free_.size() < kMaxFree) free_.push_back(std::move(page));
    page.reset();
    while (!pages_.empty() && pages_.front() == nullptr) {
      pages_.pop_front();
      ++first_;
    }
  }

  size_t size() const noexcept { return size_; }

 private:
  static constexpr size_t kPageSize = 256;
  static constexpr size_t kMaxFree = 16;
  struct Page {
    std::array<Value, kPageSize> values{};
    std::array<bool, kPageSize> is_used{};
    size_t size = 0;
  };

  Page& page_of(uint64_t number) {
    if (pages_.empty()) first_ = number;
    while (number < first_) {
      pages_.emplace_front();
      --first_;
    }
    while (number - first_ >= pages_.size()) pages_.emplace_back();
    std::unique_ptr<Page>& page = pages_[number - first_];
    if (page == nullptr && !free_.empty()) {
      page = std::move(free_.back());
      free_.pop_back();
    }
    if (page == nullptr) page = std::make_unique<Page>();
    return *page;
  }

  std::deque<std::unique_ptr<Page>> pages_;  // null: no id of the page is in the table
  uint64_t first_ = 0;                       // the number of the first page
  std::vector<std::unique_ptr<Page>> free_;
  size_t size_ = 0;
};

}  // namespace perseid
