// timeline/writers/utf8.h: texts of programs are bytes; timelines want UTF-8.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace perseid {

/// Length of the well-formed sequence that starts here (Unicode 15, table 3-7), or 0.
size_t utf8_sequence_length(std::string_view text) noexcept;

/// Every byte that belongs to no sequence becomes U+FFFD. The text itself if there is none,
/// else a view of `scratch`.
std::string_view repair_utf8(std::string_view text, std::string& scratch);

}  // namespace perseid
