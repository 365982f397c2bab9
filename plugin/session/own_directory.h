// plugin/session/own_directory.h: a directory that the session made, held so that its name no
// longer matters.
//
// The directory around a capture may be another user's, who can rename the capture and put
// something else in its place. Everything is opened relative to the directory itself, never
// through its name, and no symbolic link is followed.
#pragma once

#include <climits>
#include <cstdint>

namespace perseid {

/// For the one thread that opens files (plugin/session/own_descriptors.h).
class OwnDirectory {
 public:
  /// Makes the directory, mode 0700. False and errno if it exists or cannot be made.
  bool make(const char* path) noexcept;
  /// Holds a directory that exists and is ours.
  bool open(const char* path) noexcept;
  void close() noexcept;

  bool is_open() const noexcept { return inode_ != 0; }
  const char* path() const noexcept { return path_; }

  /// A descriptor for the file `name` in it, as open_quietly gives; -1 and errno.
  int open_file(const char* name, int flags) noexcept;
  void remove_file(const char* name) noexcept;
  /// True if it is gone: it was empty, and its name still led to it.
  bool remove() noexcept;
  /// False if its name leads elsewhere: it was moved, or deleted.
  bool is_in_place() const noexcept;

 private:
  bool is_held() const noexcept;
  int descriptor() noexcept;

  int fd_ = -1;
  uint64_t device_ = 0;
  uint64_t inode_ = 0;
  char path_[PATH_MAX] = "";
};

}  // namespace perseid
