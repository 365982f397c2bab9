// timeline/writers/byte_sink.h: where the bytes of a writer go: a file, or a compressor before it.
#pragma once

#include <cstddef>

namespace perseid {

class ByteSink {
 public:
  virtual ~ByteSink() = default;
  virtual void write(const char* data, size_t bytes) noexcept = 0;
  /// Once, after the last byte.
  virtual void finish() noexcept {}
};

}  // namespace perseid
