// tools/perseid/openmp_runtime.cpp: reads an ELF file's list of libraries.
#include "tools/perseid/openmp_runtime.h"

#include <elf.h>
#include <fmt/format.h>
#include <glob.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <vector>

#include "capture/file.h"
#include "tools/perseid/elf_versions.h"

namespace perseid {
namespace {

constexpr char kLibgomp[] = "libgomp.so.1";
constexpr char kLibomp[] = "libomp.so.5";
constexpr uint64_t kMostEntries = 4096;
constexpr uint64_t kMostTextBytes = 16 << 20;

std::vector<Elf64_Phdr> read_segments(const File& file) {
  Elf64_Ehdr header;
  if (file.read_at(0, &header, sizeof header) != sizeof header) return {};
  if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0) return {};
  if (header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_phentsize != sizeof(Elf64_Phdr)) return {};
  std::vector<Elf64_Phdr> segments(header.e_phnum);
  const size_t bytes = segments.size() * sizeof(Elf64_Phdr);
  if (file.read_at(header.e_phoff, segments.data(), bytes) != bytes) return {};
  return segments;
}

/// Where an address of the loaded program lies in its file.
uint64_t offset_of(const std::vector<Elf64_Phdr>& segments, uint64_t address) {
  for (const Elf64_Phdr& segment : segments) {
    if (segment.p_type == PT_LOAD && address >= segment.p_vaddr &&
        address - segment.p_vaddr < segment.p_filesz) {
      return segment.p_offset + address - segment.p_vaddr;
    }
  }
  return 0;
}

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

bool needs_libgomp(const std::string& program_path) {
  const File file(program_path);
  const std::vector<Elf64_Phdr> segments = read_segments(file);
  const auto dynamic =
      std::find_if(segments.begin(), segments.end(),
                   [](const Elf64_Phdr& segment) { return segment.p_type == PT_DYNAMIC; });
  if (dynamic == segments.end()) return false;
  std::vector<Elf64_Dyn> entries(
      std::min<uint64_t>(dynamic->p_filesz / sizeof(Elf64_Dyn), kMostEntries));
  const size_t bytes = entries.size() * sizeof(Elf64_Dyn);
  if (file.read_at(dynamic->p_offset, entries.data(), bytes) != bytes) return false;
  uint64_t address = 0, size = 0;
  for (const Elf64_Dyn& entry : entries) {
    if (entry.d_tag == DT_STRTAB) address = entry.d_un.d_ptr;
    if (entry.d_tag == DT_STRSZ) size = entry.d_un.d_val;
  }
  std::string texts(std::min(size, kMostTextBytes), '\0');
  texts.resize(file.read_at(offset_of(segments, address), texts.data(), texts.size()));
  return std::any_of(entries.begin(), entries.end(), [&](const Elf64_Dyn& entry) {
    return entry.d_tag == DT_NEEDED && entry.d_un.d_val < texts.size() &&
           std::string_view(texts.c_str() + entry.d_un.d_val) == kLibgomp;
  });
}

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
      "--openmp=llvm: there is no libomp.so.5 here; install LLVM's OpenMP runtime (Debian: "
      "apt-get install libomp5-14) or name its directory in LD_LIBRARY_PATH"};
}

/// A function that stays libgomp's would be called with the other runtime's data: LLVM 14 to 19
/// have no omp_fulfill_event under libgomp's version of that name, and libgomp's crashes.
std::string why_not_in_place(const std::string& program_path, const std::string& runtime_path) {
  const std::set<std::string> offered = symbols_of(runtime_path);
  for (const std::string& wanted : symbols_from(program_path, kLibgomp)) {
    if (offered.count(wanted) == 0) {
      return fmt::format("it calls {}, which {} does not have", wanted, runtime_path);
    }
  }
  return {};
}

}  // namespace perseid
