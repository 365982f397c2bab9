// plugin/settings/environment_facts.h: the variables of the environment that explain how a runtime
// behaves. Nothing else of the environment ever reaches a capture: it may hold secrets.
#pragma once

#include <cstddef>
#include <string_view>

#include "plugin/settings/text_buffer.h"

namespace perseid {

inline constexpr size_t kMaxEnvironmentFacts = 64;
inline constexpr size_t kMaxFactBytes = 256;  // of a value, as it is written
inline constexpr size_t kMaxFactNameBytes = 64;

/// Of StarPU, OpenMP, BLAS libraries, binding and devices.
bool is_environment_fact(std::string_view name) noexcept;

/// Adds the value with \xNN for control characters; what is too long is cut and ends with "...".
void add_fact_value(TextBuffer& text, std::string_view value) noexcept;

/// Calls `use(name, value)` for the first kMaxEnvironmentFacts of them. `entries` is `environ`.
template <class Use>
void for_each_environment_fact(const char* const* entries, Use&& use) noexcept {
  size_t found = 0;
  for (; entries && *entries && found < kMaxEnvironmentFacts; ++entries) {
    const std::string_view entry(*entries);
    const size_t equals = entry.find('=');
    if (equals == std::string_view::npos) continue;
    const std::string_view name = entry.substr(0, equals);
    if (!is_environment_fact(name)) continue;
    use(name, entry.substr(equals + 1));
    ++found;
  }
}

}  // namespace perseid
