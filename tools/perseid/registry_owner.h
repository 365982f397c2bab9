// tools/perseid/registry_owner.h: the side of `perseid run` in plugin/settings/run_registry.h.
#pragma once

#include <string>
#include <vector>

#include "capture/result.h"
#include "plugin/settings/unrecorded_kind.h"

namespace perseid {

struct AnnouncedCapture {
  std::string path;
  bool is_done = false;  // the session has ended and left the export to us
};

/// What a process below us reports as missing in the timelines.
struct Gap {
  Unrecorded kind = Unrecorded::kUsed;
  std::string sentence;
};

/// Owns the registry file from its making to its end. Sessions hand over as long as it lives.
class RegistryOwner {
 public:
  /// Makes the file in `directory`, or if it is empty or cannot be written in $TMPDIR or /tmp,
  /// readable and writable by this user alone.
  static Result<RegistryOwner> create(const std::string& directory = "");

  RegistryOwner(RegistryOwner&& other) noexcept;
  RegistryOwner& operator=(RegistryOwner&&) = delete;
  ~RegistryOwner();

  const std::string& path() const noexcept { return path_; }

  /// All captures so far, in the order of their first line.
  std::vector<AnnouncedCapture> look();

  /// look(), and removes the file: sessions that are not listed as done export for themselves
  /// from here on.
  std::vector<AnnouncedCapture> take_all();

  /// Known once all was taken.
  const std::vector<Gap>& gaps() const noexcept { return gaps_; }
  /// Why sessions could not start, as far as the lines were read; each reason once.
  const std::vector<std::string>& failures() const noexcept { return failures_; }

 private:
  RegistryOwner(std::string path, int file) : path_(std::move(path)), file_(file) {}

  std::vector<AnnouncedCapture> parse(const std::string& text);

  std::string path_;
  int file_ = -1;
  std::vector<Gap> gaps_;
  std::vector<std::string> failures_;
};

}  // namespace perseid
