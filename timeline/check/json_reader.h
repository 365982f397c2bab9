// timeline/check/json_reader.h: reads JSON of any size piece by piece, strictly.
#pragma once

#include <string_view>

#include "capture/file.h"
#include "capture/result.h"

namespace perseid {

/// Gets everything in the order of the file. Views last as long as the call.
class JsonVisitor {
 public:
  virtual ~JsonVisitor() = default;
  virtual void begin(bool is_array) = 0;
  virtual void end(bool is_array) = 0;
  virtual void key(std::string_view name) = 0;
  virtual void text(std::string_view value) = 0;
  virtual void number(std::string_view digits) = 0;
  virtual void word(std::string_view literal) = 0;  // true, false, null
};

/// One JSON text from the first byte to the last. The error names what is wrong and where: "no
/// value at byte 17". Nesting and the length of a text are bounded: the file may be anybody's.
Result<bool> read_json(const File& file, JsonVisitor& visitor);

}  // namespace perseid
