// timeline/model/run_facts.h: what is known of a run as a whole, and what becomes of it when the
// captures of several ranks become one timeline.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace perseid {

enum class FactScope : uint8_t {
  kRun,   // the same for all ranks: shown once
  kRank,  // each rank's own: shown with the rank
  kSum,   // a count: those of all ranks are added
};

/// Whoever produces a fact knows its scope.
struct Fact {
  Fact(std::string name, std::string text, FactScope of = FactScope::kRank)
      : key(std::move(name)), value(std::move(text)), scope(of) {}

  std::string key;
  std::string value;
  FactScope scope;
};

/// In the order in which they are to be shown.
using RunFacts = std::vector<Fact>;

/// Null: there is none.
inline const Fact* find_fact(const RunFacts& facts, std::string_view key) noexcept {
  const auto found = std::ranges::find(facts, key, &Fact::key);
  return found != facts.end() ? &*found : nullptr;
}

/// "" if there is none.
inline std::string_view fact_text(const RunFacts& facts, std::string_view key) noexcept {
  const Fact* const fact = find_fact(facts, key);
  return fact != nullptr ? std::string_view(fact->value) : std::string_view();
}

}  // namespace perseid
