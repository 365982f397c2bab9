// timeline/dump/record_text.h: the fields of a record as text, by the tables of events.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "capture/event_info.h"
#include "capture/string_table.h"
#include "capture/timebase.h"

namespace perseid {

/// Seconds with all their nanoseconds: "12.000000345".
std::string seconds_text(int64_t ns);

/// In quotation marks, on one line, without anything that a terminal obeys.
std::string quoted(std::string_view text);

/// Prints the records of one capture. Texts come from its string table, so that a damaged id reads
/// as one, and is counted as damage there.
class RecordText {
 public:
  RecordText(StringTable& strings, Timebase& timebase) : strings_(&strings), timebase_(&timebase) {}

  /// " name=value" for each field of `arg` and of the words. `event` is null for a kind that is in
  /// no table: words without a field are printed as word[i], in hexadecimal.
  void append(std::string& line, const EventInfo* event, const RecordHeader& header,
              std::span<const uint64_t> words);

  /// One value; `word_bits` is 32 for `arg`.
  std::string value(const Field& field, uint64_t word, unsigned word_bits);

 private:
  void append_words(std::string& line, std::span<const Field> fields,
                    std::span<const uint64_t> words);
  void append_arguments(std::string& line, std::span<const uint64_t> words);

  StringTable* strings_;
  Timebase* timebase_;
};

}  // namespace perseid
