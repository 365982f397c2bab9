// tools/perseid/nothing_recorded.cpp: from what processes reported, and from the program's file.
#include "tools/perseid/nothing_recorded.h"

#include <elf.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/xattr.h>

#include <algorithm>
#include <cstring>

#include "capture/file.h"
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

/// "" if it ended well.
std::string bad_end(const ChildEnd& end) {
  if (end.signal != 0) return fmt::format("ended by signal {}", end.signal);
  return end.status != 0 ? fmt::format("ended with status {}", end.status) : std::string();
}

bool has(const std::vector<Gap>& gaps, Unrecorded kind) {
  return std::ranges::find(gaps, kind, &Gap::kind) != gaps.end();
}

/// Nobody has reported anything: what keeps the library out of a program, or nothing to record.
std::string why_silent(const std::string& program) {
  const std::string path = find_program_file(program);
  if (is_static(File(path))) {
    return fmt::format("{} is linked statically, so no library can be preloaded", program);
  }
  if (is_privileged(path)) {
    return fmt::format("{} is set-user-id or has capabilities, so no library can be preloaded",
                       program);
  }
  return fmt::format(
      "no process of {} used StarPU, OpenMP, MPI, OpenCL, CUDA or perseid.h (static and privileged "
      "programs cannot be checked)",
      program);
}

}  // namespace

std::vector<std::string> left_out(const std::vector<Gap>& gaps) {
  constexpr size_t kMaxCount = 2;
  std::vector<std::string> sentences;
  for (const Gap& gap : gaps) {
    if (gap.kind != Unrecorded::kUsed || sentences.size() == kMaxCount) continue;
    if (std::ranges::find(sentences, gap.sentence) == sentences.end())
      sentences.push_back(gap.sentence);
  }
  return sentences;
}

std::string why_nothing_recorded(const std::string& program, const std::vector<Gap>& gaps,
                                 const ChildEnd& end) {
  std::string why;
  if (has(gaps, Unrecorded::kUsed)) {
    why = fmt::format("{}", fmt::join(left_out(gaps), "; "));
  } else if (has(gaps, Unrecorded::kReported)) {
    return {};
  } else {
    const auto idle = std::ranges::find(gaps, Unrecorded::kIdle, &Gap::kind);
    const std::string how = bad_end(end);
    if (!how.empty()) why = fmt::format("{} {}; ", program, how);
    why += idle != gaps.end() ? idle->sentence : why_silent(program);
  }
  return "nothing was recorded: " + why;
}

}  // namespace perseid
