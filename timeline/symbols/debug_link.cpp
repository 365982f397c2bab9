// timeline/symbols/debug_link.cpp: looks for debug files where gdb looks for them.
//
//   .gnu_debuglink:   NAME \0, zeros up to a multiple of 4, CRC-32 of the whole file NAME
//
// A capture names the file, and may come from somebody else: sizes are bounded, and a name leads
// nowhere but into the three directories.
#include "timeline/symbols/debug_link.h"

#include <elf.h>
#include <unistd.h>

#include <array>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <string_view>
#include <system_error>

#include "capture/file.h"

namespace perseid {
namespace {

constexpr uint64_t kMaxSectionBytes = 1 << 20;
constexpr uint64_t kMaxDebugFileBytes = uint64_t{8} << 30;

struct DebugLink {
  std::string name;  // "": the file has none
  uint32_t checksum = 0;
};

std::string read_section(const File& file, const Elf64_Shdr& section) {
  if (section.sh_type == SHT_NOBITS || section.sh_size > kMaxSectionBytes) return {};
  std::string bytes(section.sh_size, '\0');
  bytes.resize(file.read_at(section.sh_offset, bytes.data(), bytes.size()));
  return bytes;
}

DebugLink parse_link(const std::string& bytes) {
  const size_t length = std::strlen(bytes.c_str());
  const size_t checksum_at = (length + 4) & ~size_t{3};
  DebugLink link;
  if (length == 0 || checksum_at + sizeof link.checksum > bytes.size()) return {};
  if (bytes.find('/') < length) return {};
  std::memcpy(&link.checksum, bytes.data() + checksum_at, sizeof link.checksum);
  link.name = bytes.c_str();
  return link;
}

DebugLink read_link(const std::string& path) {
  const File file(path);
  Elf64_Ehdr header;
  if (!file.is_open() || file.read_at(0, &header, sizeof header) != sizeof header) return {};
  if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0) return {};
  if (header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_shentsize != sizeof(Elf64_Shdr)) return {};
  if (header.e_shstrndx >= header.e_shnum) return {};
  std::vector<Elf64_Shdr> sections(header.e_shnum);
  const size_t bytes = sections.size() * sizeof(Elf64_Shdr);
  if (file.read_at(header.e_shoff, sections.data(), bytes) != bytes) return {};
  const std::string names = read_section(file, sections[header.e_shstrndx]);
  for (const Elf64_Shdr& section : sections) {
    if (section.sh_name < names.size() &&
        std::string_view(names.c_str() + section.sh_name) == ".gnu_debuglink") {
      return parse_link(read_section(file, section));
    }
  }
  return {};
}

/// The CRC-32 of Ethernet, zlib and objcopy, a byte at a time: without zlib, which the library that
/// enters programs may lack.
class Crc32 {
 public:
  void add(std::string_view bytes) noexcept {
    for (const char byte : bytes) {
      state_ = kTable[(state_ ^ static_cast<uint8_t>(byte)) & 0xff] ^ state_ >> 8;
    }
  }
  uint32_t value() const noexcept { return ~state_; }

 private:
  static constexpr std::array<uint32_t, 256> kTable = [] {
    std::array<uint32_t, 256> table{};
    for (uint32_t i = 0; i < table.size(); ++i) {
      uint32_t rest = i;
      for (int bit = 0; bit < 8; ++bit)
        rest = (rest & 1) != 0 ? rest >> 1 ^ 0xedb88320U : rest >> 1;
      table[i] = rest;
    }
    return table;
  }();
  uint32_t state_ = ~0U;
};

bool has_checksum(const std::string& path, uint32_t wanted) {
  const File file(path);
  if (!file.is_open() || file.size() > kMaxDebugFileBytes) return false;
  std::string block(256 * 1024, '\0');
  Crc32 sum;
  uint64_t at = 0;
  while (const size_t got = file.read_at(at, block.data(), block.size())) {
    sum.add({block.data(), got});
    at += got;
    if (at > kMaxDebugFileBytes) return false;
  }
  return sum.value() == wanted;
}

}  // namespace

std::string find_debug_link(const std::string& path, const std::string& debug_root) {
  const DebugLink link = read_link(path);
  if (link.name.empty()) return {};
  std::error_code error;
  const std::filesystem::path own = std::filesystem::canonical(path, error);
  if (error) return {};
  const std::filesystem::path directory = own.parent_path();
  for (const auto& place : {directory, directory / ".debug",
                            std::filesystem::path(debug_root) / directory.relative_path()}) {
    const std::filesystem::path candidate = place / link.name;
    if (candidate != own && has_checksum(candidate, link.checksum)) return candidate;
  }
  return {};
}

std::vector<std::string> separate_debug_files(const Module& module) {
  std::vector<std::string> files;
  const std::string& id = module.build_id;
  const bool is_hexadecimal = id.find_first_not_of("0123456789abcdef") == std::string::npos;
  if (id.size() >= 3 && is_hexadecimal) {
    std::string by_id =
        std::string(kDebugRoot) + "/.build-id/" + id.substr(0, 2) + "/" + id.substr(2) + ".debug";
    if (access(by_id.c_str(), R_OK) == 0) files.push_back(std::move(by_id));
  }
  if (std::string linked = find_debug_link(module.path); !linked.empty()) {
    files.push_back(std::move(linked));
  }
  return files;
}

}  // namespace perseid
