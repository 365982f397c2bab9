// plugin/settings/setting_values.cpp: reads switches, numbers, sizes, words and paths.
#include "plugin/settings/setting_values.h"

#include <algorithm>
#include <charconv>

namespace perseid {
namespace {

/// "64K" -> 65536. False if the text is not a size or does not fit.
bool parse_size(std::string_view text, uint64_t& bytes) noexcept {
  uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end == text.data()) return false;
  const std::string_view suffix(end, static_cast<size_t>(text.data() + text.size() - end));
  unsigned shift = 0;
  if (equals_ignoring_case(suffix, "k")) shift = 10;
  if (equals_ignoring_case(suffix, "m")) shift = 20;
  if (equals_ignoring_case(suffix, "g")) shift = 30;
  if (shift == 0 && !suffix.empty()) return false;
  if (number > UINT64_MAX >> shift) return false;
  bytes = number << shift;
  return true;
}

void add_limit(TextBuffer& text, uint64_t limit) noexcept {
  limit == UINT64_MAX ? text.add("all") : text.add_number(limit);
}

void report_size_problem(const GivenSetting& given, std::string_view why, uint64_t used) noexcept {
  ValueProblem problem(given);
  add_size(problem.text().add(why).add("; using "), used);
}

}  // namespace

bool equals_ignoring_case(std::string_view text, std::string_view lower) noexcept {
  return std::ranges::equal(text, lower, [](char x, char y) {
    return (x >= 'A' && x <= 'Z' ? static_cast<char>(x - 'A' + 'a') : x) == y;
  });
}

SwitchWord as_switch(std::string_view text) noexcept {
  for (const std::string_view on : {"1", "on", "yes", "true"}) {
    if (equals_ignoring_case(text, on)) return SwitchWord::kOn;
  }
  for (const std::string_view off : {"0", "off", "no", "false"}) {
    if (equals_ignoring_case(text, off)) return SwitchWord::kOff;
  }
  return SwitchWord::kNone;
}

void add_size(TextBuffer& text, uint64_t bytes) noexcept {
  constexpr std::string_view kSuffixes = "GMK";
  for (size_t i = 0; i < kSuffixes.size(); ++i) {
    const unsigned shift = static_cast<unsigned>(30 - 10 * i);
    if (bytes >> shift == 0 || bytes % (uint64_t{1} << shift) != 0) continue;
    text.add_number(bytes >> shift).add(kSuffixes[i]);
    return;
  }
  text.add_number(bytes);
}

void set_bool(const GivenSetting& given, bool& setting) noexcept {
  const SwitchWord parsed = as_switch(given.value);
  if (parsed != SwitchWord::kNone) {
    setting = parsed == SwitchWord::kOn;
    return;
  }
  ValueProblem(given).text().add(" is not 0 or 1; using ").add(setting ? '1' : '0');
}

void set_count(const GivenSetting& given, uint64_t& setting) noexcept {
  if (equals_ignoring_case(given.value, "all")) {
    setting = UINT64_MAX;
    return;
  }
  uint64_t number = 0;
  const char* const end = given.value.data() + given.value.size();
  const auto [stop, error] = std::from_chars(given.value.data(), end, number);
  if (error == std::errc() && stop == end && !given.value.empty()) {
    setting = number;
    return;
  }
  ValueProblem problem(given);
  add_limit(problem.text().add(" is not a number or all; using "), setting);
}

void set_size(const GivenSetting& given, uint64_t least, uint64_t most,
              uint64_t& setting) noexcept {
  uint64_t bytes = 0;
  if (!parse_size(given.value, bytes)) {
    return report_size_problem(given, " is not a size such as 64K or 4M", setting);
  }
  setting = std::clamp(bytes, least, most);
  if (bytes < least) report_size_problem(given, " is too small", setting);
  if (bytes > most) report_size_problem(given, " is too large", setting);
}

void set_size_limit(const GivenSetting& given, uint64_t least, uint64_t& setting) noexcept {
  uint64_t bytes = 0;
  if (equals_ignoring_case(given.value, "all")) {
    setting = UINT64_MAX;
  } else if (parse_size(given.value, bytes)) {
    setting = std::max(bytes, least);
    if (bytes < least) report_size_problem(given, " is too small", setting);
  } else {
    ValueProblem problem(given);
    add_limit(problem.text().add(" is not a size such as 500M; using "), setting);
  }
}

void set_path(const GivenSetting& given, char (&setting)[PATH_MAX]) noexcept {
  if (given.value.size() < PATH_MAX) {
    TextBuffer(setting).add(given.value);
    return;
  }
  ValueProblem problem(given);
  problem.text().add(" is too long for a path; using ");
  problem.text().add_quoted(setting[0] ? setting : "the default");
}

size_t choose_word(const GivenSetting& given, std::span<const std::string_view> words,
                   size_t used) noexcept {
  for (size_t i = 0; i < words.size(); ++i) {
    if (equals_ignoring_case(given.value, words[i])) return i;
  }
  ValueProblem problem(given);
  problem.text().add(" is not one of ");
  for (size_t i = 0; i < words.size(); ++i) problem.text().add(i == 0 ? "" : ", ").add(words[i]);
  problem.text().add("; using ").add(words[used]);
  return used;
}

}  // namespace perseid
