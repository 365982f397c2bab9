// starpu_hooks/record/thunks.h: functions of ours that stand for functions of the program's.
//
// A codelet or task holds plain function pointers, with no room for a word of ours. So there is
// a fixed row of functions, each bound to one function of the program's once it is seen: the
// pointer in the codelet becomes the thunk of that function. A thunk keeps its meaning wherever
// the pointer is copied to, when the codelet is freed or reused, and after the session has ended.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace perseid::starpu {

/// `Call` is a type with `static void call(Arguments..., size_t slot)`: what a thunk does. It must
/// be in an unnamed namespace: then the thunks are alone in a section of their own, and a pointer
/// between the first and the last of them is known to be one.
template <class Call, size_t Count, class... Arguments>
class Thunks {
 public:
  using Function = void (*)(Arguments...);

  /// The thunk of `function`, `function` itself if it is one already, or if all are taken.
  Function of(Function function) noexcept { return of(function, 0, Count); }

  /// The thunk among `count` slots from `first` on: a function has one thunk in each such range.
  Function of(Function function, size_t first, size_t count) noexcept {
    if (is_thunk(function)) return function;
    for (size_t tries = 0, at = first_slot(function); tries < count; ++tries, ++at) {
      const size_t slot = first + at % count;
      Function seen = slots_[slot].load(std::memory_order_acquire);
      if (!seen && slots_[slot].compare_exchange_strong(seen, function)) seen = function;
      if (seen == function) return kThunks[slot];
    }
    return function;
  }

  /// The function of the program that the thunk calls.
  Function original(size_t slot) const noexcept {
    return slots_[slot].load(std::memory_order_relaxed);
  }
  /// The function that a call of `function` ends in: itself, if it is not a thunk.
  Function original(Function function) const noexcept {
    if (!is_thunk(function)) return function;
    const auto found = std::find(kThunks.begin(), kThunks.end(), function);
    return original(static_cast<size_t>(found - kThunks.begin()));
  }

  bool is_thunk(Function function) const noexcept {
    const auto at = reinterpret_cast<uintptr_t>(function);
    return at >= lowest_ && at <= highest_;
  }

  /// Finds the first and the last thunk. Before anything else is asked.
  void measure() noexcept {
    for (Function one : kThunks) {
      lowest_ = std::min(lowest_, reinterpret_cast<uintptr_t>(one));
      highest_ = std::max(highest_, reinterpret_cast<uintptr_t>(one));
    }
  }

 private:
  template <size_t Slot>
  [[gnu::section(".text.perseid_thunks")]] static void thunk(Arguments... arguments) {
    Call::call(arguments..., Slot);
  }

  template <size_t... Slots>
  static constexpr std::array<Function, Count> all(std::index_sequence<Slots...>) noexcept {
    return {thunk<Slots>...};
  }
  static constexpr std::array<Function, Count> kThunks = all(std::make_index_sequence<Count>());

  static size_t first_slot(Function function) noexcept {
    return (reinterpret_cast<uintptr_t>(function) * 0x9e3779b97f4a7c15 >> 40) % Count;
  }

  std::atomic<Function> slots_[Count]{};
  uintptr_t lowest_ = UINTPTR_MAX;
  uintptr_t highest_ = 0;
};

}  // namespace perseid::starpu
