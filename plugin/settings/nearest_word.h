// plugin/settings/nearest_word.h: guesses which word a user meant.
#pragma once

#include <cstddef>
#include <string_view>

namespace perseid {

/// Letters to insert, remove, replace or swap with their neighbour to turn one word into the
/// other. Words longer than 31 letters are as far away as can be.
size_t edit_distance(std::string_view a, std::string_view b) noexcept;

/// Finds the nearest of several words, one offer() each.
class NearestWord {
 public:
  explicit NearestWord(std::string_view typed) noexcept : typed_(typed) {}

  void offer(std::string_view known) noexcept {
    const size_t distance = edit_distance(typed_, known);
    if (distance >= distance_) return;
    distance_ = distance;
    found_ = known;
  }

  /// Empty if none is so near that the user can have meant it.
  std::string_view found() const noexcept {
    const size_t tolerance = typed_.size() < 4 ? 1 : 2;
    return distance_ <= tolerance ? found_ : std::string_view();
  }

 private:
  std::string_view typed_;
  std::string_view found_;
  size_t distance_ = static_cast<size_t>(-1);
};

}  // namespace perseid
