// timeline/writers/output_file.h: a file that is never seen half-written and replaces nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "capture/result.h"
#include "timeline/writers/byte_sink.h"
#include "timeline/writers/unfinished_file.h"

namespace perseid {

/// Has no name before it is whole. If it is not committed, nothing remains. What exists already
/// and is no regular file, such as /dev/null or a pipe, is written to as it is if the user named
/// it (kWrite), and otherwise a name that is taken (kPassBy).
class OutputFile final : public ByteSink {
 public:
  enum class Special { kWrite, kPassBy };
  static Result<OutputFile> create(const std::string& path, Special special = Special::kWrite);
  OutputFile(OutputFile&& other) noexcept;
  OutputFile& operator=(OutputFile&&) = delete;
  ~OutputFile() override;

  /// After the first failure nothing more is written; commit() reports it.
  void write(const char* data, size_t bytes) noexcept override;
  uint64_t bytes() const noexcept { return bytes_; }

  /// Gives the file its name, or NAME.1.json, NAME.2.json, ... if that is taken, and returns it.
  Result<std::string> commit();

 private:
  OutputFile() = default;
  int find_late_error() const noexcept;
  Error failure() const;

  std::string path_;
  UnfinishedFile unfinished_;  // not open: written in place
  int fd_ = -1;
  int errno_ = 0;
  uint64_t bytes_ = 0;
};

}  // namespace perseid
