// plugin/settings/rank_selection.h: which ranks of a job are traced, and which of them speaks.
//
//   selection := item { "," item }      item := N | N "-" M | "every:" N
#pragma once

#include <cstdint>
#include <string_view>

#include "plugin/settings/job_environment.h"

namespace perseid {

bool is_rank_selection(std::string_view text) noexcept;

/// An empty selection selects every rank.
bool selects_rank(std::string_view selection, uint32_t rank) noexcept;

/// Selected ranks below `size`, and the lowest of them (`size` if there is none). The lowest
/// prints the messages of the whole job, and its clock is the reference clock.
struct SelectedRanks {
  uint32_t count;
  uint32_t lowest;
};
SelectedRanks selected_ranks(std::string_view selection, uint32_t size) noexcept;

/// Thousands of ranks must not print the same message: one of them does.
inline bool is_reporting_rank(const RankInJob& place, std::string_view selection) noexcept {
  if (place.rank < 0) return true;
  const auto rank = static_cast<uint32_t>(place.rank);
  return selected_ranks(selection, rank + 1).lowest == rank;
}

}  // namespace perseid
