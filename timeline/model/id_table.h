// timeline/model/id_table.h: a hash table from 64-bit ids to small values, without nodes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "timeline/model/id_hash.h"

namespace perseid {

/// Open addressing with linear probing. Entering and leaving ids costs no allocation once the
/// table has its size; std::unordered_map would make one per task.
template <class Value>
class IdTable {
 public:
  Value* find(uint64_t id) noexcept {
    if (slots_.empty()) return nullptr;
    for (size_t at = home(id);; at = next(at)) {
      if (!slots_[at].is_used) return nullptr;
      if (slots_[at].id == id) return &slots_[at].value;
    }
  }

  /// The value of `id`, made if it is new. Valid until the next insertion or removal.
  Value& operator[](uint64_t id) {
    if (Value* known = find(id)) return *known;
    if (4 * (size_ + 1) > slots_.size()) grow();  // sparse: groups of neighbours collide as one
    ++size_;
    return place(id, Value{});
  }

  void erase(uint64_t id) noexcept {
    if (slots_.empty()) return;
    size_t hole = home(id);
    while (slots_[hole].is_used && slots_[hole].id != id) hole = next(hole);
    if (!slots_[hole].is_used) return;
    --size_;
    // Followers move up, so that no search stops at the hole too early.
    for (size_t at = next(hole); slots_[at].is_used; at = next(at)) {
      const size_t wanted = home(slots_[at].id);
      if (((at - wanted) & mask()) >= ((at - hole) & mask())) {
        slots_[hole] = std::move(slots_[at]);
        hole = at;
      }
    }
    slots_[hole] = Slot{};
  }

  size_t size() const noexcept { return size_; }
  /// In no particular order. Nothing may be inserted or erased meanwhile.
  template <class Use>
  void for_each(Use&& use) {
    for (Slot& slot : slots_) {
      if (slot.is_used) use(slot.id, slot.value);
    }
  }

 private:
  struct Slot {
    uint64_t id = 0;
    Value value{};
    bool is_used = false;
  };

  size_t mask() const noexcept { return slots_.size() - 1; }
  size_t next(size_t at) const noexcept { return (at + 1) & mask(); }
  size_t home(uint64_t id) const noexcept { return id_hash(id) & mask(); }
  Value& place(uint64_t id, Value value) {
    size_t at = home(id);
    while (slots_[at].is_used) at = next(at);
    slots_[at] = {id, std::move(value), true};
    return slots_[at].value;
  }
  void grow() {
    std::vector<Slot> old = std::move(slots_);
    slots_ = std::vector<Slot>(old.empty() ? 64 : 2 * old.size());
    for (Slot& slot : old) {
      if (slot.is_used) place(slot.id, std::move(slot.value));
    }
  }

  std::vector<Slot> slots_;
  size_t size_ = 0;
};

}  // namespace perseid
