// plugin/settings/file_name_text.h: foreign text that becomes part of a file name.
#pragma once

#include <string_view>

#include "plugin/settings/text_buffer.h"

namespace perseid {

/// A variable may hold anything: it must not lead into another directory or break a message.
inline void add_file_name_text(TextBuffer& text, std::string_view foreign) noexcept {
  const bool starts_name = text.view().empty() || text.view().ends_with('/');
  for (size_t i = 0; i < foreign.size(); ++i) {
    const char c = foreign[i];
    const bool is_control = static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
    const bool hides = i == 0 && starts_name && c == '.';
    text.add(c == '/' || is_control || hides ? '_' : c);
  }
}

}  // namespace perseid
