// timeline/check/json_scanner.h: reads JSON of any size piece by piece, strictly.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "capture/file.h"

namespace perseid {

/// Told of everything in the order of the file. Views last as long as the call.
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

/// RFC 8259, and what Perfetto demands beyond it: no escapes of surrogates.
class JsonScanner {
 public:
  JsonScanner(const File& file, JsonVisitor& visitor) : file_(&file), visitor_(&visitor) {}

  /// False at the first byte that is no JSON; problem() tells.
  bool run();
  /// "no value at byte 17".
  const std::string& problem() const noexcept { return problem_; }

 private:
  static constexpr size_t kMaxDepth = 64;
  static constexpr size_t kMaxText = size_t{64} << 20;

  int peek();
  int take();
  void skip_space();
  bool fail(std::string_view what);
  bool scan_value(size_t depth);
  bool scan_container(bool is_array, size_t depth);
  bool scan_text();
  bool scan_escape();
  bool scan_number();
  bool scan_word();
  bool refill();

  const File* file_;
  JsonVisitor* visitor_;
  std::vector<char> block_;
  size_t at_ = 0;
  size_t end_ = 0;
  uint64_t offset_ = 0;  // of block_[0] in the file
  std::string text_;     // of the latest string, number or word
  std::string problem_;
};

}  // namespace perseid
