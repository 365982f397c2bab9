// tools/perseid/verb.cpp: options by table, for parsing and for help alike.
#include "tools/perseid/verb.h"

#include <fmt/format.h>

#include <algorithm>

#include "plugin/settings/nearest_word.h"
#include "tools/perseid/message.h"

namespace perseid {
namespace {

constexpr OptionInfo kHelp = {'h', "help", nullptr, "show this help"};

const OptionInfo* find_option(const Verb& verb, std::string_view name) {
  if (name == kHelp.name) return &kHelp;
  const auto found = std::ranges::find(verb.options, name, &OptionInfo::name);
  return found == verb.options.end() ? nullptr : &*found;
}

const OptionInfo* find_letter(const Verb& verb, char letter) {
  if (letter == kHelp.letter) return &kHelp;
  const auto found = std::ranges::find(verb.options, letter, &OptionInfo::letter);
  return found == verb.options.end() ? nullptr : &*found;
}

Error unknown_option(const Verb& verb, std::string_view typed) {
  NearestWord nearest(typed.substr(typed.find_first_not_of('-')));
  for (const OptionInfo& option : verb.options) nearest.offer(option.name);
  nearest.offer(kHelp.name);
  const std::string_view found = nearest.found();
  return {found.empty()
              ? fmt::format("unknown option \"{}\"", typed)
              : fmt::format("unknown option \"{}\"; did you mean \"--{}\"?", typed, found)};
}

/// An option as it was typed, and the value joined to it.
struct TypedOption {
  const OptionInfo* option;
  std::string shown;
  bool has_value;
  std::string_view value;
};

TypedOption split_long_option(const Verb& verb, std::string_view word) {
  const size_t equals = word.find('=');
  const std::string_view shown = word.substr(0, equals);
  const bool has_value = equals != std::string_view::npos;
  return {find_option(verb, shown.substr(2)), std::string(shown), has_value,
          has_value ? word.substr(equals + 1) : std::string_view()};
}

/// The options of one word that starts with a dash. "-qkoFILE" is -q, -k and -o FILE: the first
/// letter that takes a value takes the rest of the word.
std::vector<TypedOption> split_options(const Verb& verb, std::string_view word) {
  if (word.starts_with("--")) return {split_long_option(verb, word)};
  std::vector<TypedOption> typed;
  for (size_t i = 1; i < word.size(); ++i) {
    const OptionInfo* const option = find_letter(verb, word[i]);
    const std::string_view rest = word.substr(i + 1);
    const bool has_value = option != nullptr && option->value != nullptr && !rest.empty();
    typed.push_back({option, {'-', word[i]}, has_value, has_value ? rest : std::string_view()});
    if (option == nullptr || has_value) break;
  }
  return typed;
}

std::string option_words(const OptionInfo& option) {
  const std::string letter = option.letter ? fmt::format("-{}, ", option.letter) : "    ";
  const std::string value = option.value ? fmt::format(" {}", option.value) : "";
  return fmt::format("{}--{}{}", letter, option.name, value);
}

}  // namespace

bool Arguments::has(std::string_view name) const {
  return std::ranges::any_of(options, [&](const auto& given) { return name == given.first->name; });
}

std::string Arguments::value(std::string_view name) const {
  const std::vector<std::string> all = values(name);
  return all.empty() ? "" : all.back();
}

std::vector<std::string> Arguments::values(std::string_view name) const {
  std::vector<std::string> all;
  for (const auto& [option, value] : options) {
    if (name == option->name) all.push_back(value);
  }
  return all;
}

Result<Arguments> parse_arguments(const Verb& verb, std::span<const char* const> words) {
  Arguments arguments;
  for (size_t i = 0; i < words.size(); ++i) {
    const std::string_view word = words[i];
    const bool ends_options = word == "--";
    const bool is_operand = word.size() < 2 || word[0] != '-';
    if (ends_options || (is_operand && verb.takes_command)) {
      arguments.operands.insert(arguments.operands.end(),
                                words.begin() + static_cast<std::ptrdiff_t>(i + ends_options),
                                words.end());
      return arguments;
    }
    if (is_operand) {
      arguments.operands.emplace_back(word);
      continue;
    }
    for (TypedOption& typed : split_options(verb, word)) {
      if (!typed.option) return unknown_option(verb, typed.shown);
      if (typed.option == &kHelp) {
        arguments.wants_help = true;
        return arguments;
      }
      if (!typed.option->value && typed.has_value) {
        return Error{fmt::format("{} takes no value", typed.shown)};
      }
      if (typed.option->value && !typed.has_value) {
        if (++i == words.size()) {
          return Error{fmt::format("{} needs a value: {}", typed.shown, typed.option->value)};
        }
        typed.value = words[i];
      }
      arguments.options.emplace_back(typed.option, typed.value);
    }
  }
  return arguments;
}

std::string help_of(const Verb& verb) {
  std::string text = fmt::format("perseid {}: {}\n\nusage: perseid {} [options] {}\n\n", verb.name,
                                 verb.summary, verb.name, verb.operands);
  for (const OptionInfo& option : verb.options) {
    text += fmt::format("  {:<26} {}\n", option_words(option), option.meaning);
  }
  text += fmt::format("  {:<26} {}\n", option_words(kHelp), kHelp.meaning);
  if (*verb.details) text += fmt::format("\n{}", verb.details);
  return text;
}

int refuse_call(const Verb& verb, std::string_view what) {
  print_message("{}; see `perseid {} --help`", what, verb.name);
  return kExitUsage;
}

}  // namespace perseid
