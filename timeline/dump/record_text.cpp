// timeline/dump/record_text.cpp: one way to print each type of field.
#include "timeline/dump/record_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <variant>

#include "annotations/decode/arguments.h"
#include "timeline/writers/printable.h"

namespace perseid {
namespace {

int64_t with_sign(uint64_t bits, unsigned count) {
  if (count == 0 || count >= 64) return static_cast<int64_t>(bits);
  const unsigned unused = 64 - count;
  return static_cast<int64_t>(bits << unused) >> unused;
}

/// "read+write", with what has no name in hexadecimal; "0" for none.
std::string flags_text(std::span<const ValueName> names, uint64_t bits) {
  std::string text;
  for (const ValueName& flag : names) {
    if (flag.value == 0 || (bits & flag.value) != flag.value) continue;
    text += fmt::format("{}{}", text.empty() ? "" : "+", flag.name);
    bits &= ~flag.value;
  }
  if (bits != 0) text += fmt::format("{}{:#x}", text.empty() ? "" : "+", bits);
  return text.empty() ? "0" : text;
}

std::string choice_text(std::span<const ValueName> names, uint64_t value) {
  const auto found = std::ranges::find(names, value, &ValueName::value);
  return found != names.end() ? found->name : std::to_string(value);
}

struct ArgumentText {
  std::string operator()(int64_t number) const { return std::to_string(number); }
  std::string operator()(uint64_t number) const { return std::to_string(number); }
  std::string operator()(double number) const { return fmt::format("{}", number); }
  std::string operator()(bool is_true) const { return is_true ? "true" : "false"; }
  std::string operator()(Pointer pointer) const { return fmt::format("{:#x}", pointer.address); }
  std::string operator()(std::string_view text) const { return quoted(text); }
};

}  // namespace

std::string seconds_text(int64_t ns) {
  constexpr int64_t kSecond = 1'000'000'000;
  return fmt::format("{}.{:09}", ns / kSecond, ns % kSecond);
}

std::string quoted(std::string_view text) {
  std::string escaped;
  escaped.reserve(text.size());
  for (const char c : text) {
    if (c == '"' || c == '\\') escaped += '\\';
    escaped += c;
  }
  return fmt::format("\"{}\"", printable(escaped));
}

std::string RecordText::value(const Field& field, uint64_t word, unsigned word_bits) {
  const uint64_t bits = field.of(word);
  switch (field.type) {
    case FieldType::kNumber:
      return std::to_string(bits);
    case FieldType::kSigned:
      return std::to_string(with_sign(bits, std::min<unsigned>(field.bit_count, word_bits)));
    case FieldType::kAddress:
    case FieldType::kIdentity:
    case FieldType::kArguments:
      return fmt::format("{:#x}", bits);
    case FieldType::kString:
      if (bits == 0) return "none";
      if (bits > UINT32_MAX) return fmt::format("{:#x}", bits);
      return quoted(strings_->text(static_cast<uint32_t>(bits)));
    case FieldType::kReal:
      return fmt::format("{}", std::bit_cast<double>(bits));
    case FieldType::kChoice:
      return choice_text(field.names, bits);
    case FieldType::kFlags:
      return flags_text(field.names, bits);
    case FieldType::kTicks:
      return seconds_text(timebase_->to_ns(bits));
  }
  return "";
}

void RecordText::append(std::string& line, const EventInfo* event, const RecordHeader& header,
                        std::span<const uint64_t> words) {
  if (event == nullptr) {
    line += fmt::format(" arg={:#x}", header.arg);
    append_words(line, {}, words);
    return;
  }
  for (const Field& field : event->arg) {
    line += fmt::format(" {}={}", field.name, value(field, header.arg, 32));
  }
  if (event->arg.size() == 0 && header.arg != 0) line += fmt::format(" arg={:#x}", header.arg);
  append_words(line, event->fields, words);
  const size_t needed = fixed_words(*event);
  if (words.size() < needed) line += fmt::format(" short={}/{}", words.size(), needed);
  if ((header.flags & kRecordTruncated) != 0) line += " truncated";
}

void RecordText::append_words(std::string& line, std::span<const Field> fields,
                              std::span<const uint64_t> words) {
  size_t used = 0;  // words whose fields have begun
  for (size_t i = 0; i < fields.size() && !fields[i].is_repeated; ++i) {
    if (fields[i].begins_word() && used++ == words.size()) return;
    line += fmt::format(" {}={}", fields[i].name, value(fields[i], words[used - 1], 64));
  }
  const auto group = std::ranges::find_if(fields, &Field::is_repeated);
  if (group == fields.end()) {
    for (; used < words.size(); ++used) line += fmt::format(" word[{}]={:#x}", used, words[used]);
    return;
  }
  if (group->type == FieldType::kArguments) return append_arguments(line, words.subspan(used));
  for (size_t turn = 0; used < words.size(); ++turn) {
    for (auto field = group; field != fields.end(); ++field) {
      if (field->begins_word() && used++ == words.size()) return;
      line += fmt::format(" {}[{}]={}", field->name, turn, value(*field, words[used - 1], 64));
    }
  }
}

void RecordText::append_arguments(std::string& line, std::span<const uint64_t> words) {
  Argument argument;
  while (annotations::take_argument(words, *strings_, argument)) {
    line += fmt::format(" {}={}", quoted(argument.key), std::visit(ArgumentText(), argument.value));
  }
  if (!words.empty()) line += fmt::format(" unreadable_words={}", words.size());
}

}  // namespace perseid
