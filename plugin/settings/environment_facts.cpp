// plugin/settings/environment_facts.cpp: which variables are facts, and how their values are
// written.
#include "plugin/settings/environment_facts.h"

#include <algorithm>

namespace perseid {
namespace {

constexpr std::string_view kPrefixes[] = {"STARPU_", "OMP_",           "KMP_", "GOMP_",
                                          "VECLIB_", "SLURM_CPU_BIND", "POCL_"};
constexpr std::string_view kNames[] = {"OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS",
                                       "BLIS_NUM_THREADS", "GOTO_NUM_THREADS",
                                       "CUDA_VISIBLE_DEVICES"};

bool is_name_character(char c) noexcept {
  return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
}

}  // namespace

bool is_environment_fact(std::string_view name) noexcept {
  if (name.size() > kMaxFactNameBytes || !std::ranges::all_of(name, is_name_character))
    return false;
  if (name == "STARPU_TRACE_PLUGIN") return false;  // ours: its settings are recorded as such
  return std::ranges::find(kNames, name) != std::end(kNames) ||
         std::ranges::any_of(kPrefixes,
                             [name](std::string_view prefix) { return name.starts_with(prefix); });
}

void add_fact_value(TextBuffer& text, std::string_view value) noexcept {
  constexpr std::string_view kCut = "...";
  constexpr char kDigits[] = "0123456789abcdef";
  size_t used = 0;
  for (const char c : value) {
    const auto byte = static_cast<unsigned char>(c);
    const bool is_control = byte < 0x20 || byte == 0x7f;
    const size_t needed = is_control ? 4 : 1;
    if (used + needed > kMaxFactBytes - kCut.size()) {
      text.add(kCut);
      return;
    }
    if (is_control)
      text.add("\\x").add(kDigits[byte >> 4]).add(kDigits[byte & 15]);
    else
      text.add(c);
    used += needed;
  }
}

}  // namespace perseid
