// timeline/symbols/symbol_table.cpp: reads .symtab, or .dynsym where it has been stripped.
#include "timeline/symbols/symbol_table.h"

#include <elf.h>

#include <algorithm>
#include <cstring>

#include "capture/file.h"

namespace perseid {
namespace {

constexpr size_t kMaxSections = 1 << 16;
constexpr uint64_t kMaxTableBytes = uint64_t{1} << 30;

template <class Item>
std::vector<Item> read_items(const File& file, uint64_t offset, uint64_t count) {
  std::vector<Item> items(std::min(count, file.size() / sizeof(Item)));
  const size_t read = file.read_at(offset, items.data(), items.size() * sizeof(Item));
  items.resize(read / sizeof(Item));
  return items;
}

std::vector<Elf64_Shdr> read_sections(const File& file) {
  Elf64_Ehdr header;
  if (file.read_at(0, &header, sizeof header) != sizeof header) return {};
  if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0) return {};
  if (header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_shentsize != sizeof(Elf64_Shdr)) return {};
  uint64_t count = header.e_shnum;
  if (count == 0 && header.e_shoff != 0) {  // more than 65279: the first section has how many
    const auto first = read_items<Elf64_Shdr>(file, header.e_shoff, 1);
    count = first.empty() ? 0 : first[0].sh_size;
  }
  return read_items<Elf64_Shdr>(file, header.e_shoff, std::min<uint64_t>(count, kMaxSections));
}

std::string read_build_id(const File& file, const std::vector<Elf64_Shdr>& sections) {
  for (const Elf64_Shdr& section : sections) {
    Elf64_Nhdr note;
    if (section.sh_type != SHT_NOTE || section.sh_size < sizeof note + 4) continue;
    if (file.read_at(section.sh_offset, &note, sizeof note) != sizeof note) continue;
    if (note.n_type != NT_GNU_BUILD_ID || note.n_namesz != 4 || note.n_descsz > 64) continue;
    std::string text;
    for (const unsigned char byte :
         read_items<unsigned char>(file, section.sh_offset + sizeof note + 4, note.n_descsz)) {
      text += "0123456789abcdef"[byte >> 4];
      text += "0123456789abcdef"[byte & 15];
    }
    return text;
  }
  return {};
}

const Elf64_Shdr* find_table(const std::vector<Elf64_Shdr>& sections) {
  const Elf64_Shdr* found = nullptr;
  for (const Elf64_Shdr& section : sections) {
    if (section.sh_link >= sections.size() || section.sh_size > kMaxTableBytes) continue;
    if (section.sh_type == SHT_SYMTAB) return &section;
    if (section.sh_type == SHT_DYNSYM) found = &section;
  }
  return found;
}

}  // namespace

SymbolTable::SymbolTable(const std::string& path, const std::string& build_id) {
  const File file(path);
  if (!file.is_open()) return;
  const std::vector<Elf64_Shdr> sections = read_sections(file);
  if (!build_id.empty() && read_build_id(file, sections) != build_id) return;
  const Elf64_Shdr* const table = find_table(sections);
  is_stripped_ = !sections.empty() && (table == nullptr || table->sh_type != SHT_SYMTAB);
  if (table == nullptr) return;
  const Elf64_Shdr& texts = sections[table->sh_link];
  if (texts.sh_size > kMaxTableBytes) return;
  names_.resize(std::min(texts.sh_size, file.size()));
  names_.resize(file.read_at(texts.sh_offset, names_.data(), names_.size()));
  for (const Elf64_Sym& symbol :
       read_items<Elf64_Sym>(file, table->sh_offset, table->sh_size / sizeof(Elf64_Sym))) {
    const auto type = ELF64_ST_TYPE(symbol.st_info);
    if ((type != STT_FUNC && type != STT_GNU_IFUNC) || symbol.st_shndx == SHN_UNDEF) continue;
    if (symbol.st_name >= names_.size()) continue;
    symbols_.push_back({symbol.st_value, symbol.st_value + symbol.st_size, symbol.st_name});
  }
  std::sort(symbols_.begin(), symbols_.end(),
            [](const Symbol& a, const Symbol& b) { return a.begin < b.begin; });
}

std::string_view SymbolTable::function_at(uint64_t address) const noexcept {
  auto at = std::upper_bound(symbols_.begin(), symbols_.end(), address,
                             [](uint64_t a, const Symbol& symbol) { return a < symbol.begin; });
  if (at == symbols_.begin()) return {};
  --at;
  if (address >= at->end && address != at->begin) return {};
  return names_.c_str() + at->name;  // ends at a zero, at the latest the string's own
}

}  // namespace perseid
