// timeline/writers/unfinished_file.h: where a file's bytes are before it gets its name.
//
// Without any name (O_TMPFILE) where the file system can do that: then a killed writer leaves
// nothing. Elsewhere as .NAME.RANDOM.partial, locked while its writer lives, so that the next
// writer of that name can remove what a killed one left. No name is ever taken from another
// process, whatever its pid: several containers or machines may share the directory.
#pragma once

#include <string>

namespace perseid {

class UnfinishedFile {
 public:
  enum class Kind { kNamelessIfPossible, kNamed };

  UnfinishedFile() = default;
  /// In the directory of `path`. Check is_open(); errno has why not.
  explicit UnfinishedFile(const std::string& path, Kind kind = Kind::kNamelessIfPossible);
  UnfinishedFile(UnfinishedFile&& other) noexcept;
  UnfinishedFile& operator=(UnfinishedFile&& other) noexcept;
  /// What has got no name is gone.
  ~UnfinishedFile();

  bool is_open() const noexcept { return fd_ >= 0; }
  int descriptor() const noexcept { return fd_; }
  const std::string& name() const noexcept { return name_; }  // "": it has none

  /// Gives the file its name if nobody has it. 0, or an errno: EEXIST if the name is taken.
  int name_it(const std::string& path);

  /// 0, or an errno: network file systems report a full disk only here.
  int close();

 private:
  bool open_nameless(const std::string& directory);
  bool open_named(const std::string& directory, const std::string& name);

  int fd_ = -1;
  std::string name_;
};

}  // namespace perseid
