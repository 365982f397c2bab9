// tools/perseid/openmp_runtime.cpp: LD_LIBRARY_PATH first, then the directories of LLVM's packages.
#include "tools/perseid/openmp_runtime.h"

#include <glob.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <vector>

namespace perseid {
namespace {

constexpr char kLibomp[] = "libomp.so.5";

std::vector<std::string> glob_paths(const char* pattern) {
  std::vector<std::string> paths;
  glob_t found{};
  if (glob(pattern, 0, nullptr, &found) == 0) {
    paths.assign(found.gl_pathv, found.gl_pathv + found.gl_pathc);
  }
  globfree(&found);
  std::sort(paths.begin(), paths.end(), [](const std::string& a, const std::string& b) {
    return strverscmp(a.c_str(), b.c_str()) < 0;  // llvm-9 before llvm-14
  });
  return paths;
}

}  // namespace

Result<std::string> find_llvm_openmp() {
  const char* const variable = std::getenv("LD_LIBRARY_PATH");
  std::string_view rest = variable ? variable : "";
  while (!rest.empty()) {
    const size_t end = rest.find(':');
    const std::string path = std::string(rest.substr(0, end)) + "/" + kLibomp;
    if (access(path.c_str(), R_OK) == 0) return path;
    rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
  }
  for (const char* const pattern : {"/usr/lib/llvm-*/lib/libomp.so.5", "/usr/lib/*/libomp.so.5",
                                    "/usr/lib64/libomp.so*", "/usr/local/lib/libomp.so*"}) {
    const std::vector<std::string> paths = glob_paths(pattern);
    if (!paths.empty()) return paths.back();
  }
  return Error{
      "--openmp=llvm: libomp.so.5 was not found; install LLVM's OpenMP runtime (Debian: "
      "apt-get install libomp5-14) or add its directory to LD_LIBRARY_PATH"};
}

}  // namespace perseid
