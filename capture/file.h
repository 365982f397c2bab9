// capture/file.h: a file opened for reading. pread only: a mapping of a file that somebody
// truncates meanwhile would be a SIGBUS.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

namespace perseid {

class File {
 public:
  File() = default;
  /// Check is_open(); errno tells why not.
  explicit File(const std::string& path);
  ~File();
  File(File&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  File& operator=(File&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }

  bool is_open() const noexcept { return fd_ >= 0; }
  uint64_t size() const noexcept;
  /// Number of bytes read: less than asked for at the end of the file or after an error.
  size_t read_at(uint64_t offset, void* into, size_t bytes) const noexcept;
  /// The whole file, cut after `limit` bytes.
  std::string read_text(size_t limit) const;

 private:
  int fd_ = -1;
};

}  // namespace perseid
