// timeline/model/open_slice.h: a slice whose end is still to come, with copies of its arguments.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "timeline/model/argument.h"
#include "timeline/model/slice.h"

namespace perseid {

/// Arguments with their texts. Used again and again, so that slices cost no allocation.
class ArgumentList {
 public:
  /// The key must outlive the slice (it comes from the string table or is a literal); a text is
  /// copied. A later value of the same key replaces the earlier one.
  void add(const Argument& argument);
  /// The same for a key that is not there yet; saves the search.
  void append(const Argument& argument);
  void clear() noexcept {
    items_.clear();
    text_.clear();
  }
  std::span<const Argument> items() const noexcept { return items_; }

 private:
  std::string_view keep(std::string_view text);

  std::vector<Argument> items_;
  std::vector<char> text_;
};

struct OpenSlice {
  /// More arrows than this hang on moments inside the slice: memory must not grow with the run.
  static constexpr size_t kMaxFlows = 64;

  int64_t begin_ns = 0;
  std::string_view name;  // outlives the slice, as does the category
  std::string_view category;
  ArgumentList arguments;
  std::vector<FlowEnd> flows;
  uint32_t sub_lane = 0;  // where it stands now
};

}  // namespace perseid
