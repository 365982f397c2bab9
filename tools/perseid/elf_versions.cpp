// tools/perseid/elf_versions.cpp: reads .dynsym with its tables of versions.
#include "tools/perseid/elf_versions.h"

#include <elf.h>

#include <cstring>
#include <map>
#include <string_view>
#include <vector>

#include "capture/file.h"

namespace perseid {
namespace {

constexpr uint64_t kMostSectionBytes = 64 << 20;
constexpr uint16_t kVersionMask = 0x7fff;  // the bit above: not the default version

/// The bytes of a section, read where they are, within bounds.
class Section {
 public:
  Section() = default;
  Section(const File& file, const Elf64_Shdr& header) {
    bytes_.resize(header.sh_size <= kMostSectionBytes ? header.sh_size : 0);
    bytes_.resize(file.read_at(header.sh_offset, bytes_.data(), bytes_.size()));
  }

  template <class Item>
  bool get(size_t offset, Item& item) const {
    if (offset > bytes_.size() || bytes_.size() - offset < sizeof item) return false;
    std::memcpy(&item, bytes_.data() + offset, sizeof item);
    return true;
  }
  std::string_view text(size_t offset) const {
    return offset < bytes_.size() ? std::string_view(bytes_.c_str() + offset) : std::string_view();
  }

 private:
  std::string bytes_;
};

struct Version {
  std::string name;
  std::string library;  // empty: the file's own
};

class DynamicSymbols {
 public:
  explicit DynamicSymbols(const std::string& path) {
    const File file(path);
    Elf64_Ehdr header;
    if (file.read_at(0, &header, sizeof header) != sizeof header) return;
    if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0) return;
    if (header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_shentsize != sizeof(Elf64_Shdr)) return;
    std::vector<Elf64_Shdr> sections(header.e_shnum);
    sections.resize(
        file.read_at(header.e_shoff, sections.data(), sections.size() * sizeof(Elf64_Shdr)) /
        sizeof(Elf64_Shdr));
    for (const Elf64_Shdr& section : sections) {
      if (section.sh_link >= sections.size()) continue;
      const auto texts = [&] { return Section(file, sections[section.sh_link]); };
      switch (section.sh_type) {
        case SHT_DYNSYM:
          symbols_ = Section(file, section);
          names_ = texts();
          break;
        case SHT_GNU_versym:
          versions_ = Section(file, section);
          break;
        case SHT_GNU_verneed:
          read_wanted(Section(file, section), texts());
          break;
        case SHT_GNU_verdef:
          read_defined(Section(file, section), texts());
          break;
        default:
          break;
      }
    }
  }

  /// Calls visit(is_defined, library, "name@VERSION") for each symbol with a version.
  template <class Visit>
  void each(Visit visit) const {
    Elf64_Sym symbol;
    uint16_t index = 0;
    for (size_t i = 1; symbols_.get(i * sizeof symbol, symbol) && versions_.get(2 * i, index);
         ++i) {
      const auto version = by_index_.find(index & kVersionMask);
      if (version == by_index_.end()) continue;
      visit(symbol.st_shndx != SHN_UNDEF, version->second.library,
            std::string(names_.text(symbol.st_name)) + "@" + version->second.name);
    }
  }

 private:
  void read_wanted(const Section& section, const Section& texts) {
    Elf64_Verneed need;
    for (size_t at = 0; section.get(at, need); at += need.vn_next) {
      Elf64_Vernaux version;
      size_t version_at = at + need.vn_aux;
      for (unsigned i = 0; i < need.vn_cnt && section.get(version_at, version); ++i) {
        by_index_[version.vna_other & kVersionMask] = {std::string(texts.text(version.vna_name)),
                                                       std::string(texts.text(need.vn_file))};
        version_at += version.vna_next;
      }
      if (need.vn_next == 0) break;
    }
  }

  void read_defined(const Section& section, const Section& texts) {
    Elf64_Verdef definition;
    for (size_t at = 0; section.get(at, definition); at += definition.vd_next) {
      Elf64_Verdaux name;
      if (section.get(at + definition.vd_aux, name)) {
        by_index_[definition.vd_ndx & kVersionMask] = {std::string(texts.text(name.vda_name)), ""};
      }
      if (definition.vd_next == 0) break;
    }
  }

  Section symbols_;
  Section names_;
  Section versions_;
  std::map<uint16_t, Version> by_index_;
};

}  // namespace

std::set<std::string> symbols_from(const std::string& path, const std::string& library) {
  std::set<std::string> found;
  DynamicSymbols(path).each([&](bool is_defined, const std::string& from, std::string symbol) {
    if (!is_defined && from == library) found.insert(std::move(symbol));
  });
  return found;
}

std::set<std::string> symbols_of(const std::string& path) {
  std::set<std::string> found;
  DynamicSymbols(path).each([&](bool is_defined, const std::string&, std::string symbol) {
    if (is_defined) found.insert(std::move(symbol));
  });
  return found;
}

}  // namespace perseid
