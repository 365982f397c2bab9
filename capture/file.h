// capture/file.h: a regular file opened for reading. pread only: a mapping of a file that another
// process truncates meanwhile would be a SIGBUS.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

namespace perseid {

class File {
 public:
  /// Of the last part of the path. A capture consists of its own files: a link in it leads to
  /// something that its recorder never wrote.
  enum class Link : bool { kFollowed, kRefused };

  File() = default;
  /// Check is_open(); errno holds the reason, and problem() describes it.
  explicit File(const std::string& path, Link link = Link::kFollowed);
  ~File();
  File(File&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  File& operator=(File&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }

  bool is_open() const noexcept { return fd_ >= 0; }
  /// Why the constructor has not opened it. Right after it.
  static std::string problem();
  uint64_t size() const noexcept;
  /// Where bytes that were written begin, at or after `offset`; at most size(). A file of a few
  /// bytes may claim to be a terabyte long.
  uint64_t next_data(uint64_t offset) const noexcept;
  /// The descriptor, which is the caller's from now on.
  int release() noexcept { return std::exchange(fd_, -1); }
  /// Number of bytes read: less than asked for at the end of the file or after an error.
  size_t read_at(uint64_t offset, void* into, size_t bytes) const noexcept;
  /// The whole file, cut after `limit` bytes.
  std::string read_text(size_t limit) const;

 private:
  int fd_ = -1;
};

}  // namespace perseid
