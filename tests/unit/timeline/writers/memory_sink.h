// tests/unit/timeline/writers/memory_sink.h: bytes that a test looks at.
#pragma once

#include <string>

#include "timeline/writers/byte_sink.h"

namespace perseid::test {

class MemorySink final : public ByteSink {
 public:
  void write(const char* data, size_t size) noexcept override { bytes.append(data, size); }
  void finish() noexcept override { is_finished = true; }

  std::string bytes;
  bool is_finished = false;
};

}  // namespace perseid::test
