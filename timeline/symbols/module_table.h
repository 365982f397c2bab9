// timeline/symbols/module_table.h: which file lay at an address when a record was written.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace perseid {

/// A program or library as it was loaded.
struct Module {
  uint64_t ticks = 0;  // when it was first seen
  uint64_t begin = 0;
  uint64_t end = 0;
  uint64_t bias = 0;     // address in memory minus address in the file
  std::string build_id;  // hexadecimal; "": it has none
  std::string path;

  std::string_view file_name() const noexcept {
    return std::string_view(path).substr(path.find_last_of('/') + 1);
  }
};

/// Read from the capture's `modules` text; plugin/modules.h draws its lines.
class ModuleTable {
 public:
  ModuleTable() = default;
  /// Lines it does not understand are passed over and counted. The last one may be cut.
  explicit ModuleTable(std::string_view text);

  /// Null if nothing known lay there. Where one file came after another, the time decides.
  const Module* find(uint64_t address, uint64_t ticks) const noexcept;
  const std::vector<Module>& all() const noexcept { return modules_; }
  size_t bad_lines() const noexcept { return bad_lines_; }
  /// Two files lay at one address, one after the other.
  bool is_ambiguous() const noexcept { return is_ambiguous_; }

 private:
  struct Place {
    uint64_t begin;
    uint64_t furthest_end;  // of all that begin here or before
    uint32_t index;
  };

  void sort();

  std::vector<Module> modules_;  // in the order of the text
  std::vector<Place> by_begin_;
  bool is_ambiguous_ = false;
  size_t bad_lines_ = 0;
};

}  // namespace perseid
