// tools/perseid/program_file.cpp: the search along PATH.
#include "tools/perseid/program_file.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <string_view>

namespace perseid {

std::string find_program_file(const std::string& program) {
  if (program.find('/') != std::string::npos) return program;
  const char* variable = std::getenv("PATH");
  std::string_view rest = variable ? variable : "/usr/bin:/bin";
  while (!rest.empty()) {
    const size_t end = rest.find(':');
    const std::string_view directory = rest.substr(0, end);
    rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
    std::string path = fmt::format("{}/{}", directory.empty() ? "." : directory, program);
    if (access(path.c_str(), X_OK) == 0) return path;
  }
  return {};
}

}  // namespace perseid
