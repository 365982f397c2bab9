// timeline/symbols/symbol_table.h: names of functions from an ELF file's own symbols.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace perseid {

/// Read without any library, for files without debug information and machines without libdw.
class SymbolTable {
 public:
  SymbolTable() = default;
  /// Empty if the file cannot be read, is no 64-bit ELF file, or is not the one with `build_id`
  /// (hexadecimal; "": any).
  SymbolTable(const std::string& path, const std::string& build_id);

  /// The function around the address in the file, as the linker calls it; "" if there is none.
  std::string_view function_at(uint64_t address) const noexcept;
  size_t size() const noexcept { return symbols_.size(); }
  /// The file is the right one, and only what others may call has a name in it.
  bool is_stripped() const noexcept { return is_stripped_; }

 private:
  struct Symbol {
    uint64_t begin;
    uint64_t end;
    uint32_t name;  // offset in names_
  };
  std::vector<Symbol> symbols_;  // by begin
  std::string names_;
  bool is_stripped_ = false;
};

}  // namespace perseid
