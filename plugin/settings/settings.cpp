// plugin/settings/settings.cpp: the syntax of STARPU_TRACE_PLUGIN and PERSEID.
//
//   value := item { "," item }          "\," and "\\" are a plain comma and a plain backslash
//   item  := "0" | "off" | "1" | "on" | PATH_OF_THIS_LIBRARY | KEY "=" VALUE | PATTERN
//
// A variable with any other item than a switch is on, unless one of its items is "off".
#include "plugin/settings/settings.h"

#include <algorithm>
#include <string_view>

#include "plugin/settings/nearest_word.h"
#include "plugin/settings/rank_selection.h"
#include "plugin/settings/setting_values.h"
#include "plugin/settings/text_buffer.h"

namespace perseid {
namespace {

const SettingInfo* find_key(std::string_view word) noexcept {
  for (const SettingInfo& row : setting_table()) {
    if (word == row.key) return &row;
  }
  return nullptr;
}

void report_unknown_key(SettingSource& source, std::string_view key) noexcept {
  NearestWord nearest(key);
  for (const SettingInfo& known : setting_table()) nearest.offer(known.key);
  char sentence[512];
  TextBuffer text(sentence);
  text.add(source.name).add(": unknown setting ").add_quoted(key);
  if (nearest.found().empty()) {
    text.add(" is ignored; see `perseid env`");
  } else {
    text.add("; did you mean ").add_quoted(nearest.found()).add('?');
  }
  source.report(sentence);
}

void set(SettingSource& source, std::string_view key, std::string_view value,
         Settings& settings) noexcept {
  const SettingInfo* const known = find_key(key);
  if (known == nullptr) return report_unknown_key(source, key);
  known->set({source, key, value}, settings);
}

/// The key of a "key=value" item, empty if the item is something else.
std::string_view key_of(std::string_view item) noexcept {
  size_t length = 0;
  while (length < item.size() &&
         ((item[length] >= 'a' && item[length] <= 'z') || item[length] == '_')) {
    ++length;
  }
  const bool is_setting = length > 0 && length < item.size() && item[length] == '=';
  return is_setting ? item.substr(0, length) : std::string_view();
}

std::string_view file_name(std::string_view path) noexcept {
  return path.substr(path.rfind('/') + 1);
}

/// Any way of writing it counts: the loader may have found the file under another directory.
bool is_own_library(std::string_view item, const char* own_path) noexcept {
  if (file_name(item).starts_with("libperseid.so")) return true;
  return own_path && file_name(item) == file_name(own_path);
}

void report_bare_key(SettingSource& source, const SettingInfo& row) noexcept {
  char sentence[512];
  TextBuffer text(sentence);
  text.add(source.name).add(": ").add(row.key).add(" needs a value, such as ");
  text.add(row.key).add('=').add(row.example);
  source.report(sentence);
}

void read_item(SettingSource& source, std::string_view item, const char* own_path,
               Settings& settings, SwitchWord& explicit_switch) noexcept {
  if (item.empty()) return;
  if (const SwitchWord parsed = as_switch(item); parsed != SwitchWord::kNone) {
    explicit_switch = parsed;
  } else if (is_own_library(item, own_path)) {
    explicit_switch = SwitchWord::kOn;
  } else if (const std::string_view key = key_of(item); !key.empty()) {
    set(source, key, item.substr(key.size() + 1), settings);
  } else if (const SettingInfo* const known = find_key(item)) {
    report_bare_key(source, *known);
  } else {
    set_path({source, "out", item}, settings.out);
  }
}

/// Takes the next item off `rest`, without its escapes, into `buffer`.
std::string_view next_item(const char*& rest, char* buffer, size_t size) noexcept {
  TextBuffer item(buffer, size);
  while (*rest && *rest != ',') {
    if (*rest == '\\' && (rest[1] == ',' || rest[1] == '\\')) ++rest;
    item.add(*rest++);
  }
  if (*rest == ',') ++rest;
  return item.view();
}

/// ranks=0,4-7: after `ranks=` a number is a rank, not a switch.
bool continue_ranks(std::string_view item, Settings& settings) noexcept {
  if (!is_rank_selection(item)) return false;
  char whole[2 * sizeof settings.ranks];
  TextBuffer text(whole);
  text.add(settings.ranks).add(',').add(item);
  if (text.view().size() >= sizeof settings.ranks) return false;
  TextBuffer(settings.ranks).add(text.view());
  return true;
}

void read_variable(SettingSource& source, const char* value, const char* own_path,
                   Settings& settings) noexcept {
  if (!value || !*value) return;
  SwitchWord explicit_switch = SwitchWord::kNone;
  // Room for a path that is too long, so that it is seen to be.
  char item[PATH_MAX + 64];
  bool is_in_ranks = false;
  while (*value) {
    const std::string_view read = next_item(value, item, sizeof item);
    is_in_ranks = is_in_ranks ? continue_ranks(read, settings) : read.starts_with("ranks=");
    if (is_in_ranks && !read.starts_with("ranks=")) continue;
    read_item(source, read, own_path, settings, explicit_switch);
  }
  settings.is_on = explicit_switch != SwitchWord::kOff;
}

void fit_memory_to_ring(SettingSource& source, Settings& settings) noexcept {
  if (settings.memory_bytes >= settings.ring_bytes) return;
  char sentence[512];
  TextBuffer text(sentence);
  text.add(source.name).add(": memory=");
  add_size(text, settings.memory_bytes);
  text.add(" is too small for one ring of ");
  add_size(text, settings.ring_bytes);
  text.add("; using memory=");
  add_size(text, settings.ring_bytes);
  settings.memory_bytes = settings.ring_bytes;
  source.report(sentence);
}

}  // namespace

void read_settings(const char* starpu_trace_plugin, const char* perseid, const char* own_path,
                   Settings& settings, ReportProblem report_problem, void* context) noexcept {
  SettingSource starpu_source{"STARPU_TRACE_PLUGIN", report_problem, context};
  SettingSource perseid_source{"PERSEID", report_problem, context};
  read_variable(starpu_source, starpu_trace_plugin, own_path, settings);
  read_variable(perseid_source, perseid, own_path, settings);
  fit_memory_to_ring(perseid && *perseid ? perseid_source : starpu_source, settings);
}

bool read_setting(const char* key_and_value, Settings& settings, ReportProblem report_problem,
                  void* context) noexcept {
  SettingSource source{"--set", report_problem, context};
  const std::string_view item(key_and_value);
  const std::string_view key = key_of(item);
  if (!key.empty()) {
    set(source, key, item.substr(key.size() + 1), settings);
  } else if (const SettingInfo* const known = find_key(item)) {
    report_bare_key(source, *known);
  } else {
    char sentence[512];
    TextBuffer text(sentence);
    text.add(source.name).add(": ").add_quoted(item).add(" is not key=value, such as keep=1");
    source.report(sentence);
  }
  return !source.has_problem;
}

}  // namespace perseid
