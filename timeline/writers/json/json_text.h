// timeline/writers/json/json_text.h: any bytes as the inside of a JSON string.
#pragma once

#include <string_view>

#include "timeline/writers/byte_buffer.h"

namespace perseid {

/// Raw UTF-8; bytes that are none become U+FFFD. Never writes a surrogate escape: Perfetto
/// refuses the whole file for one (v55 and v58). Reserves its own room.
void write_json_text(ByteBuffer& out, std::string_view text);

}  // namespace perseid
