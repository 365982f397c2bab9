// capture/event_info.h: what each word of a record is called and how it is printed. The tables of
// all producers are made of these; `perseid dump`, `perseid check` and
// docs/dev/capture-format.md read them. Recorders include the tables for their numbers only: what
// nobody reads is not compiled in.
//
//   {kSubmit, "submit", {field::string("name")},                        arg: 32 bits
//    {field::address("task"),                                           word 0
//     field::signed_number("priority").low(), field::number("context").high(),       word 1
//     field::number("tag").optional(),                                  from here on left out
//     field::address("handle").repeated(), field::number("bytes")}}     pairs up to the end
//
// A field that begins with bit 0 begins the next word; the others share the word of the one before.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string_view>

#include "capture/record.h"

namespace perseid {

enum class FieldType : uint8_t {
  kNumber,
  kSigned,
  kAddress,    // of the traced process, hexadecimal
  kIdentity,   // a handle or a hash, hexadecimal
  kString,     // id in the capture's string table; 0: none
  kReal,       // the bits of a double
  kChoice,     // one of the named values
  kFlags,      // any of the named bits
  kTicks,      // raw clock
  kArguments,  // up to the end: see annotations/events.h
};

/// A value of an enumeration, or the bit of a flag.
struct ValueName {
  constexpr ValueName(auto number, const char* text) noexcept
      : value(static_cast<uint64_t>(number)), name(text) {}
  uint64_t value;
  const char* name;
};

/// Part of a word, or a whole one.
struct Field {
  static constexpr uint8_t kWholeWord = 64;  // also of `arg`, whose words have 32 bits

  const char* name;
  FieldType type;
  const char* note = "";                  // unit or special values, for the documentation
  std::span<const ValueName> names = {};  // of kChoice and kFlags
  uint8_t first_bit = 0;
  uint8_t bit_count = kWholeWord;
  bool is_optional = false;  // it and what follows may be missing
  bool is_repeated = false;  // it and what follows come again and again up to the record's end

  constexpr Field bits(uint8_t first, uint8_t count) const noexcept {
    Field changed = *this;
    changed.first_bit = first;
    changed.bit_count = count;
    return changed;
  }
  constexpr Field low() const noexcept { return bits(0, 32); }
  constexpr Field high() const noexcept { return bits(32, 32); }
  constexpr Field optional() const noexcept {
    Field changed = *this;
    changed.is_optional = true;
    return changed;
  }
  constexpr Field repeated() const noexcept {
    Field changed = *this;
    changed.is_repeated = true;
    return changed;
  }

  constexpr bool begins_word() const noexcept { return first_bit == 0; }
  /// The field's bits of a word, moved down to bit 0.
  constexpr uint64_t of(uint64_t word) const noexcept {
    const uint64_t moved = word >> first_bit;
    return bit_count == kWholeWord ? moved : moved & ((uint64_t{1} << bit_count) - 1);
  }
};

namespace field {

constexpr Field number(const char* name, const char* note = "") noexcept {
  return {name, FieldType::kNumber, note};
}
constexpr Field signed_number(const char* name, const char* note = "") noexcept {
  return {name, FieldType::kSigned, note};
}
constexpr Field address(const char* name, const char* note = "") noexcept {
  return {name, FieldType::kAddress, note};
}
constexpr Field identity(const char* name, const char* note = "") noexcept {
  return {name, FieldType::kIdentity, note};
}
constexpr Field string(const char* name, const char* note = "") noexcept {
  return {name, FieldType::kString, note};
}
constexpr Field real(const char* name, const char* note = "") noexcept {
  return {name, FieldType::kReal, note};
}
constexpr Field choice(const char* name, std::span<const ValueName> names,
                       const char* note = "") noexcept {
  return {name, FieldType::kChoice, note, names};
}
constexpr Field flags(const char* name, std::span<const ValueName> names,
                      const char* note = "") noexcept {
  return {name, FieldType::kFlags, note, names};
}
constexpr Field ticks(const char* name, const char* note = "") noexcept {
  return {name, FieldType::kTicks, note};
}
constexpr Field arguments() noexcept {
  return Field{"arguments", FieldType::kArguments}.repeated();
}

}  // namespace field

/// One row of a producer's event table. docs/dev/capture-format.md is tested against these rows.
struct EventInfo {
  uint8_t index;
  const char* name;                     // as `perseid check` prints it
  std::initializer_list<Field> arg;     // parts of RecordHeader::arg; none: it is 0
  std::initializer_list<Field> fields;  // of the words, in their order
};

/// Words that every record of the event has.
constexpr size_t fixed_words(const EventInfo& event) noexcept {
  size_t words = 0;
  for (const Field& part : event.fields) {
    if (part.is_optional || part.is_repeated) break;
    if (part.begins_word()) ++words;
  }
  return words;
}

/// Fields of one word follow each other without overlap, from bit 0 on and below `word_bits`.
constexpr bool has_sound_places(std::span<const Field> fields, unsigned word_bits) noexcept {
  unsigned used_bits = 0;  // of the word so far; 0: there is none
  for (const Field& part : fields) {
    const bool is_whole = part.bit_count == Field::kWholeWord;
    const unsigned end = is_whole ? word_bits : unsigned{part.first_bit} + part.bit_count;
    if (part.bit_count == 0 || end > word_bits) return false;
    if (!part.begins_word() && (used_bits == 0 || part.first_bit < used_bits)) return false;
    if (!part.begins_word() && (part.is_optional || part.is_repeated)) return false;
    used_bits = end;
  }
  return true;
}

/// All names of an event are there, and each of them once.
constexpr bool has_own_names(const EventInfo& event) noexcept {
  const auto appearances = [&event](std::string_view name) {
    size_t count = 0;
    for (const Field& part : event.arg) count += name == part.name ? 1 : 0;
    for (const Field& part : event.fields) count += name == part.name ? 1 : 0;
    return count;
  };
  for (const auto& fields : {event.arg, event.fields}) {
    for (const Field& part : fields) {
      if (*part.name == '\0' || appearances(part.name) != 1) return false;
    }
  }
  return *event.name != '\0';
}

/// One group may repeat, and it is the last; nothing optional follows.
constexpr bool has_sound_tail(const EventInfo& event) noexcept {
  bool is_repeating = false;
  for (const Field& part : event.fields) {
    if (is_repeating && (part.is_repeated || part.is_optional)) return false;
    is_repeating = is_repeating || part.is_repeated;
    if (part.type == FieldType::kArguments && &part != event.fields.end() - 1) return false;
  }
  for (const Field& part : event.arg) {
    if (part.is_optional || part.is_repeated) return false;
  }
  return true;
}

/// What a table of events must be like; checked where it is compiled.
constexpr bool is_sound_table(std::span<const EventInfo> events) noexcept {
  for (const EventInfo& event : events) {
    if (event.index == 0 || !has_own_names(event) || !has_sound_tail(event)) return false;
    if (!has_sound_places(event.fields, 64) || fixed_words(event) > kMaxRecordWords) return false;
    if (!has_sound_places(event.arg, 32)) return false;
    size_t same = 0;
    for (const EventInfo& other : events) {
      const bool is_same = other.index == event.index;
      if (is_same || std::string_view(other.name) == event.name) ++same;
    }
    if (same != 1) return false;
  }
  return true;
}

}  // namespace perseid
