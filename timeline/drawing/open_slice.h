// timeline/drawing/open_slice.h: a slice whose end is still to come, with copies of its arguments.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "timeline/drawing/argument.h"
#include "timeline/drawing/slice.h"

namespace perseid {

/// Arguments with their texts. Used again and again, so that slices cost no allocation.
class ArgumentList {
 public:
  /// The key must outlive the slice (it comes from the string table or is a literal); a text is
  /// copied. A later value of the same key replaces the earlier one.
  void add(const Argument& argument) {
    Argument* const known = find(argument.key);
    if (known == nullptr) return append(argument);
    *known = argument;
    keep_text(*known);
  }
  /// Adds a key that is not there yet; saves the search.
  void append(const Argument& argument) {
    items_.push_back(argument);
    keep_text(items_.back());
  }
  void clear() noexcept {
    items_.clear();
    text_.clear();
  }
  std::span<const Argument> items() const noexcept { return items_; }

 private:
  Argument* find(std::string_view key) noexcept {
    for (Argument& item : items_) {
      // Most keys differ in their length or first letter, which saves the call that compares them.
      if (item.key.size() != key.size()) continue;
      if (key.empty() || (item.key[0] == key[0] && item.key == key)) return &item;
    }
    return nullptr;
  }
  void keep_text(Argument& item) {
    if (std::holds_alternative<std::string_view>(item.value)) copy_text(item);
  }
  void copy_text(Argument& item);

  std::vector<Argument> items_;
  std::vector<char> text_;
};

struct OpenSlice {
  /// More arrows than this hang on instants inside the slice: memory must not grow with the run.
  static constexpr size_t kMaxFlows = 64;

  int64_t begin_ns = 0;
  std::string_view name;  // outlives the slice, as does the category
  Category category;
  std::string_view colour;  // outlives the slice; "": its name
  ArgumentList arguments;
  std::vector<FlowEnd> flows;
  uint32_t sub_lane = 0;  // where it is drawn now
};

}  // namespace perseid
