// timeline/writers/json/json_value.h: values as JSON, so that the trace processor reads what was
// meant.
#pragma once

#include <cstdint>

#include "timeline/drawing/argument.h"
#include "timeline/writers/byte_buffer.h"

namespace perseid {

/// The caller has room for a number; texts reserve their own.
void write_json_value(ByteBuffer& out, const Argument& argument);

/// An arrow's id. Above 2^63 - 1 in hexadecimal: readers take larger numbers for fractions.
void write_json_id(ByteBuffer& out, uint64_t id);

}  // namespace perseid
