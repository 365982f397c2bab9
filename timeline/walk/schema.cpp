// timeline/walk/schema.cpp: the tables of events as documentation.
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "timeline/walk/decoder.h"

namespace perseid {
namespace {

std::string type_name(const Field& field, unsigned word_bits) {
  const unsigned bits = std::min<unsigned>(field.bit_count, word_bits);
  switch (field.type) {
    case FieldType::kNumber:
      return fmt::format("u{}", bits);
    case FieldType::kSigned:
      return fmt::format("i{}", bits);
    case FieldType::kAddress:
      return "address";
    case FieldType::kIdentity:
      return "identity";
    case FieldType::kString:
      return "string id";
    case FieldType::kReal:
      return "double";
    case FieldType::kChoice:
      return "choice";
    case FieldType::kFlags:
      return "flags";
    case FieldType::kTicks:
      return "ticks";
    case FieldType::kArguments:
      return "to the end";
  }
  return "unknown";
}

/// "`bytes` u48 bits 16-63 (of the handle)".
std::string describe(const Field& field, unsigned word_bits) {
  std::string text = fmt::format("`{}` {}", field.name, type_name(field, word_bits));
  if (field.bit_count != Field::kWholeWord) {
    text += fmt::format(" bits {}-{}", field.first_bit, field.first_bit + field.bit_count - 1);
  }
  if (*field.note != '\0') text += fmt::format(" ({})", field.note);
  return text;
}

/// Words are separated by semicolons, the fields of one word by commas.
std::string describe(std::span<const Field> fields, unsigned word_bits) {
  std::string text;
  for (const Field& field : fields) {
    if (!text.empty()) text += field.begins_word() ? "; " : ", ";
    if (field.is_optional) text += "optional: ";
    if (field.is_repeated && field.type != FieldType::kArguments) text += "repeated: ";
    text += describe(field, word_bits);
  }
  return text.empty() ? "none" : text;
}

/// What values are called, and the fields that hold them: each set of names once.
class NameLists {
 public:
  void add(const EventInfo& event) {
    for (const auto& fields : {event.arg, event.fields}) {
      for (const Field& field : fields) {
        if (!field.names.empty()) add(event.name, field);
      }
    }
  }

  std::string text() const {
    std::string lines;
    for (const auto& [names, users] : lists_) {
      lines += fmt::format("- {}: {}\n", users, values_of(names));
    }
    return lines.empty() ? "" : "\n" + lines;
  }

 private:
  void add(const char* event, const Field& field) {
    const std::string user = fmt::format("`{}.{}`", event, field.name);
    const auto found = std::ranges::find(lists_, field.names.data(),
                                         [](const auto& list) { return list.first.data(); });
    if (found == lists_.end()) {
      lists_.emplace_back(field.names, user);
    } else {
      found->second += ", " + user;
    }
  }
  static std::string values_of(std::span<const ValueName> names) {
    std::string text;
    for (const ValueName& value : names) {
      if (!text.empty()) text += ", ";
      text += value.value < 256 ? fmt::format("{} {}", value.value, value.name)
                                : fmt::format("{:#x} {}", value.value, value.name);
    }
    return text;
  }

  std::vector<std::pair<std::span<const ValueName>, std::string>> lists_;
};

}  // namespace

std::string schema() {
  std::string text;
  for (const EventTable& table : event_tables()) {
    text += fmt::format("{}### Producer {}: {}\n\n", text.empty() ? "" : "\n",
                        static_cast<unsigned>(table.producer), table.name);
    text += "| kind | event | arg | words |\n|---|---|---|---|\n";
    NameLists names;
    for (const EventInfo& event : table.events) {
      text += fmt::format("| 0x{:04x} | {} | {} | {} |\n", make_kind(table.producer, event.index),
                          event.name, describe(event.arg, 32), describe(event.fields, 64));
      names.add(event);
    }
    text += names.text();
  }
  return text;
}

}  // namespace perseid
