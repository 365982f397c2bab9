// timeline/writers/output_file.cpp: temporary name, then a link that fails if the name is taken.
#include "timeline/writers/output_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <stdio.h>
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

/// Moves without replacing. 0, or an errno.
int move_to_free_name(const std::string& from, const std::string& to) {
  if (::link(from.c_str(), to.c_str()) == 0) {
    ::unlink(from.c_str());
    return 0;
  }
  if (errno == EEXIST) return EEXIST;
  // Some file systems know no links, and some no RENAME_NOREPLACE.
  if (::renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_NOREPLACE) == 0) return 0;
  if (errno == EEXIST) return EEXIST;
  const int placeholder = ::open(to.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (placeholder < 0) return errno;
  ::close(placeholder);
  return ::rename(from.c_str(), to.c_str()) == 0 ? 0 : errno;
}

}  // namespace

Result<OutputFile> OutputFile::create(const std::string& path) {
  OutputFile file;
  file.path_ = path;
  struct stat status {};
  if (::stat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode)) {
    if (S_ISDIR(status.st_mode)) {
      return Error{fmt::format("cannot write {}: it is a directory; name a file in it", path)};
    }
    file.fd_ = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
  } else {
    const size_t slash = path.find_last_of('/');
    const size_t name = slash == std::string::npos ? 0 : slash + 1;
    file.temporary_ =
        fmt::format("{}.{}.{}.partial", path.substr(0, name), path.substr(name), ::getpid());
    file.fd_ = ::open(file.temporary_.c_str(),
                      O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0666);
  }
  if (file.fd_ < 0) {
    file.errno_ = errno;
    file.temporary_.clear();
    return file.failure();
  }
  return file;
}

OutputFile::OutputFile(OutputFile&& other) noexcept
    : path_(std::move(other.path_)),
      temporary_(std::exchange(other.temporary_, {})),
      fd_(std::exchange(other.fd_, -1)),
      errno_(other.errno_),
      bytes_(other.bytes_) {}

OutputFile::~OutputFile() {
  if (fd_ >= 0) ::close(fd_);
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
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
  // Network file systems report a full disk only here.
  if (::close(std::exchange(fd_, -1)) != 0 && errno_ == 0) errno_ = errno;
  if (errno_ != 0) return failure();
  if (temporary_.empty()) return path_;
  for (int number = 0; number < kMaxNumber; ++number) {
    const std::string name = numbered(path_, number);
    const int error = move_to_free_name(temporary_, name);
    if (error == 0) {
      temporary_.clear();
      return name;
    }
    if (error != EEXIST) {
      errno_ = error;
      return failure();
    }
  }
  errno_ = EEXIST;
  return failure();
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
