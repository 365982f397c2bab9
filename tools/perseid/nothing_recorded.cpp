// tools/perseid/nothing_recorded.cpp: looks at the program file for what keeps a library out.
#include "tools/perseid/nothing_recorded.h"

#include <elf.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/xattr.h>

#include <cstring>

#include "capture/file.h"
#include "tools/perseid/openmp_runtime.h"
#include "tools/perseid/program_file.h"

namespace perseid {
namespace {

bool is_static(const File& file) {
  Elf64_Ehdr header;
  if (file.read_at(0, &header, sizeof header) != sizeof header) return false;
  if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0) return false;
  if (header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_phentsize != sizeof(Elf64_Phdr)) {
    return false;
  }
  for (uint64_t i = 0; i < header.e_phnum; ++i) {
    Elf64_Phdr segment;
    const uint64_t at = header.e_phoff + i * sizeof segment;
    if (file.read_at(at, &segment, sizeof segment) != sizeof segment) return false;
    if (segment.p_type == PT_INTERP) return false;
  }
  return true;
}

bool is_privileged(const std::string& path) {
  struct stat found;
  if (stat(path.c_str(), &found) == 0 && (found.st_mode & (S_ISUID | S_ISGID))) return true;
  return getxattr(path.c_str(), "security.capability", nullptr, 0) > 0;
}

}  // namespace

std::string why_nothing_recorded(const std::string& program) {
  const std::string path = find_program_file(program);
  if (is_static(File(path))) {
    return fmt::format("nothing was recorded: {} is linked statically, no library can be added",
                       program);
  }
  if (is_privileged(path)) {
    return fmt::format(
        "nothing was recorded: {} runs with privileges of its own, the system keeps libraries out",
        program);
  }
  const std::string no_openmp = why_no_openmp(program);
  if (!no_openmp.empty()) return "nothing was recorded: " + no_openmp;
  return fmt::format("nothing was recorded: {} made no call of perseid.h", program);
}

std::string why_no_openmp(const std::string& program) {
  if (!needs_libgomp(find_program_file(program))) return {};
  return fmt::format(
      "{} uses GCC's libgomp, which has no tools interface; build it with clang, or use LLVM's "
      "runtime in its place: perseid run --openmp=llvm -- {}",
      program, program);
}

}  // namespace perseid
