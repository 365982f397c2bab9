// tools/perseid/library.cpp: looks for the library relative to this executable, so that a moved
// or copied installation works.
#include "tools/perseid/library.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

namespace perseid {
namespace {

constexpr char kLibrary[] = "libperseid.so";

/// The loader splits LD_PRELOAD at blanks and colons and knows no quotes.
Result<std::string> fit_for_preload(const std::string& path) {
  if (path.find_first_of(" \t:") == std::string::npos) return path;
  return Error{fmt::format(
      "LD_PRELOAD cannot contain \"{}\": its path has a blank or a colon; set PERSEID_LIBRARY to a "
      "symbolic link to it",
      path)};
}

}  // namespace

Result<std::string> find_library() {
  std::error_code error;
  if (const char* chosen = std::getenv("PERSEID_LIBRARY"); chosen && *chosen) {
    const std::string path = std::filesystem::absolute(chosen, error);
    if (access(path.c_str(), R_OK) == 0) return fit_for_preload(path);
    return Error{
        fmt::format("cannot read PERSEID_LIBRARY=\"{}\": {}", chosen, std::strerror(errno))};
  }
  const auto self = std::filesystem::read_symlink("/proc/self/exe", error);
  const std::filesystem::path adjacent = self.parent_path() / kLibrary;
  const std::filesystem::path installed =
      (self.parent_path() / PERSEID_LIBDIR_FROM_BINDIR / kLibrary).lexically_normal();
  for (const auto& path : {adjacent, installed}) {
    if (access(path.c_str(), R_OK) == 0) return fit_for_preload(path);
  }
  return Error{fmt::format("there is no {} in {} or {}; set PERSEID_LIBRARY to its path", kLibrary,
                           adjacent.parent_path().string(), installed.parent_path().string())};
}

}  // namespace perseid
