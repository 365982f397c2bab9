// timeline/drawing/category.h: what kind of thing a slice is: for queries of users, and for sinks.
#pragma once

#include <cstdint>
#include <string_view>

namespace perseid {

/// What a slice means to sinks, whatever its runtime calls it.
enum class SliceRole : uint8_t {
  kOther,
  kWork,        // a task, a kernel
  kWait,        // a thread waits until something happens
  kIdle,        // a worker without work
  kSubmission,  // work is handed out
  kPhase,       // what a runtime does around work
  kTransfer,    // data move
  kOwn,         // what Perseid reports about itself
};

/// Users select slices by the name. Each runtime has its own table of these.
struct Category {
  constexpr Category() = default;
  // A text alone is a category, as long as it means nothing to sinks.
  // NOLINTBEGIN(google-explicit-constructor)
  constexpr Category(std::string_view text, SliceRole means = SliceRole::kOther)
      : name(text), role(means) {}
  constexpr Category(const char* text) : name(text) {}
  // NOLINTEND(google-explicit-constructor)

  std::string_view name;
  SliceRole role = SliceRole::kOther;
};

inline constexpr Category kOwnCategory{"perseid", SliceRole::kOwn};

}  // namespace perseid
