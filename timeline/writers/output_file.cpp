// timeline/writers/output_file.cpp: all bytes first, then a name that nobody has.
#include "timeline/writers/output_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

namespace perseid {
namespace {

constexpr int kMaxNumber = 100000;

std::string numbered(const std::string& path, int number) {
  if (number == 0) return path;
  const size_t slash = path.find_last_of('/');
  const size_t name = slash == std::string::npos ? 0 : slash + 1;
  size_t dot = path.find_last_of('.');
  if (path.ends_with(".gz")) dot = path.find_last_of('.', dot - 1);
  if (dot == std::string::npos || dot <= name) dot = path.size();
  return fmt::format("{}.{}{}", path.substr(0, dot), number, path.substr(dot));
}

}  // namespace

Result<OutputFile> OutputFile::create(const std::string& path, Special special) {
  OutputFile file;
  file.path_ = path;
  struct stat status {};
  if (special == Special::kWrite && ::stat(path.c_str(), &status) == 0 &&
      !S_ISREG(status.st_mode)) {
    if (S_ISDIR(status.st_mode)) {
      return Error{fmt::format("cannot write {}: it is a directory; name a file in it", path)};
    }
    file.fd_ = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
  } else {
    file.unfinished_ = UnfinishedFile(path);
    file.fd_ = file.unfinished_.descriptor();
  }
  if (file.fd_ < 0) {
    file.errno_ = errno;
    return file.failure();
  }
  return file;
}

OutputFile::OutputFile(OutputFile&& other) noexcept
    : path_(std::move(other.path_)),
      unfinished_(std::move(other.unfinished_)),
      fd_(std::exchange(other.fd_, -1)),
      errno_(other.errno_),
      bytes_(other.bytes_) {}

OutputFile::~OutputFile() {
  if (fd_ >= 0 && !unfinished_.is_open()) ::close(fd_);
}

void OutputFile::write(const char* data, size_t bytes) noexcept {
  while (bytes > 0 && errno_ == 0) {
    const ssize_t done = ::write(fd_, data, bytes);
    if (done < 0) {
      if (errno != EINTR) errno_ = errno;
      continue;
    }
    data += done;
    bytes -= static_cast<size_t>(done);
    bytes_ += static_cast<uint64_t>(done);
  }
}

Result<std::string> OutputFile::commit() {
  if (!unfinished_.is_open()) {
    if (::close(std::exchange(fd_, -1)) != 0 && errno_ == 0) errno_ = errno;
    if (errno_ != 0) return failure();
    return path_;
  }
  if (errno_ == 0) errno_ = find_late_error();
  if (errno_ != 0) return failure();
  for (int number = 0; number < kMaxNumber; ++number) {
    const std::string name = numbered(path_, number);
    errno_ = unfinished_.name_it(name);
    if (errno_ == 0) return name;
    if (errno_ != EEXIST) break;
  }
  return failure();
}

/// Network file systems report a full disk only when a descriptor is closed, and a file without
/// a name must stay open until it has one.
int OutputFile::find_late_error() const noexcept {
  const int copy = ::dup(fd_);
  if (copy < 0 || ::close(copy) != 0) return errno;
  struct stat status {};
  if (::fstat(fd_, &status) != 0) return errno;
  return static_cast<uint64_t>(status.st_size) == bytes_ ? 0 : EIO;
}

Error OutputFile::failure() const {
  const char* remedy = "choose another place with -o";
  switch (errno_) {
    case ENOSPC:
    case EDQUOT:
    case EFBIG:
      remedy = "make room or choose another place with -o";
      break;
    case ENOENT:
    case ENOTDIR:
      remedy = "make its directory first or choose another place with -o";
      break;
    default:
      break;
  }
  return {fmt::format("cannot write {}: {}; {}", path_, std::strerror(errno_), remedy)};
}

}  // namespace perseid
