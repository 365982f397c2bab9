// plugin/settings/setting_values.h: the kinds of values that settings have, and reports about
// bad ones.
#pragma once

#include <climits>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "plugin/settings/settings.h"
#include "plugin/settings/text_buffer.h"

namespace perseid {

/// The variable or option that is read, and where problems are reported.
struct SettingSource {
  const char* name;
  ReportProblem report_problem;
  void* context;
  bool has_problem = false;

  void report(const char* sentence) noexcept {
    has_problem = true;
    if (report_problem) report_problem(context, sentence);
  }
};

/// One item as the user wrote it: key=value.
struct GivenSetting {
  SettingSource& source;
  std::string_view key;
  std::string_view value;
};

/// A sentence about a value, which starts `PERSEID: ring="12Q"` and goes to the source when it is
/// complete.
class ValueProblem {
 public:
  explicit ValueProblem(const GivenSetting& given) noexcept : source_(&given.source) {
    text_.add(given.source.name).add(": ").add(given.key).add('=').add_quoted(given.value);
  }
  ~ValueProblem() { source_->report(sentence_); }
  ValueProblem(const ValueProblem&) = delete;
  ValueProblem& operator=(const ValueProblem&) = delete;

  TextBuffer& text() noexcept { return text_; }

 private:
  SettingSource* source_;
  char sentence_[512];
  TextBuffer text_{sentence_};
};

enum class SwitchWord { kNone, kOff, kOn };
/// "1", "on", "yes", "true" and their opposites, in any case.
SwitchWord as_switch(std::string_view text) noexcept;

/// Each function reports a bad value and leaves the setting as it is.
void set_bool(const GivenSetting& given, bool& setting) noexcept;
/// A number, or "all" for UINT64_MAX.
void set_count(const GivenSetting& given, uint64_t& setting) noexcept;
/// "64K"; a value outside the bounds is moved to the nearer one.
void set_size(const GivenSetting& given, uint64_t least, uint64_t most, uint64_t& setting) noexcept;
/// A size of at least `least`, or "all" for UINT64_MAX.
void set_size_limit(const GivenSetting& given, uint64_t least, uint64_t& setting) noexcept;
void set_path(const GivenSetting& given, char (&setting)[PATH_MAX]) noexcept;
/// The place of the value among `words`, or `used` if it is none of them.
size_t choose_word(const GivenSetting& given, std::span<const std::string_view> words,
                   size_t used) noexcept;

/// `words` are in the order of the enumerators.
template <class Enum, size_t N>
void set_choice(const GivenSetting& given, const std::string_view (&words)[N],
                Enum& setting) noexcept {
  setting = static_cast<Enum>(choose_word(given, words, static_cast<size_t>(setting)));
}

bool equals_ignoring_case(std::string_view text, std::string_view lower) noexcept;
/// 65536 -> "64K".
void add_size(TextBuffer& text, uint64_t bytes) noexcept;

}  // namespace perseid
