// timeline/model/recent_by_id.h: the latest values by id, in memory that stays bounded.
//
//   entries_   a ring: number n is at n modulo its size        | 9 | 10 | 3 | 4 | ... | 8 |
//   chains_    by hash of the id: the number of its newest entry -> 10 -> 7 -> 2, forgotten
//
// Ids share chains, each from its newest entry to its oldest. A search ends where its chain leaves
// the ring, so nothing ever has to be taken out.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "timeline/model/id_hash.h"

namespace perseid {

template <class Value, size_t kMax>
class RecentById {
  static_assert(std::has_single_bit(kMax));

 public:
  /// The value of an id that has one already is hidden by the new one. The oldest of kMax
  /// values is forgotten. Takes no memory before the first.
  void put(uint64_t id, Value value) {
    if (newest_ == entries_.size() && newest_ < kMax) [[unlikely]]
      grow();
    ++newest_;
    Entry& made = entry(newest_);
    made.value = std::move(value);
    made.id = id;
    link(made, newest_);
  }

  /// Null: there never was one, or it is forgotten. Valid until the next put().
  Value* find(uint64_t id) noexcept {
    uint64_t number = chains_.empty() ? 0 : chain(id).newest;
    while (is_remembered(number)) {
      Entry& known = entry(number);
      if (known.id == id) return &known.value;
      number = known.previous;
    }
    return nullptr;
  }
  const Value* find(uint64_t id) const noexcept { return const_cast<RecentById*>(this)->find(id); }

 private:
  struct Entry {
    uint64_t id = 0;
    uint64_t previous = 0;  // number of the one before in its chain; 0: none
    Value value{};
  };
  struct Chain {
    uint64_t newest_id = 0;
    uint64_t newest = 0;  // 0: none
  };

  bool is_remembered(uint64_t number) const noexcept {
    return number != 0 && newest_ - number < entries_.size();
  }
  Entry& entry(uint64_t number) noexcept { return entries_[number & (entries_.size() - 1)]; }
  Chain& chain(uint64_t id) noexcept { return chains_[id_hash(id) & (chains_.size() - 1)]; }

  void link(Entry& made, uint64_t number) noexcept {
    Chain& in = chain(made.id);
    made.previous = in.newest;
    // An id that is used over and over takes a single place in its chain.
    if (in.newest_id == made.id && is_remembered(in.newest)) {
      made.previous = entry(in.newest).previous;
    }
    in = {made.id, number};
  }

  /// Only while nothing is forgotten yet: entries 1 to newest_ are all there.
  void grow() {
    std::vector<Entry> old = std::move(entries_);
    entries_ = std::vector<Entry>(std::min(kMax, std::max<size_t>(64, 2 * old.size())));
    chains_.assign(entries_.size(), Chain{});
    for (uint64_t number = 1; number <= newest_; ++number) {
      Entry& made = entry(number);
      made = std::move(old[number & (old.size() - 1)]);
      link(made, number);
    }
  }

  std::vector<Entry> entries_;  // its size is a power of two
  std::vector<Chain> chains_;
  uint64_t newest_ = 0;
};

}  // namespace perseid
