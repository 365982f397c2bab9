// timeline/symbols/module_table.cpp: reads the lines of the `modules` text.
#include "timeline/symbols/module_table.h"

#include <charconv>

namespace perseid {
namespace {

std::string_view take_word(std::string_view& line) {
  const size_t end = line.find(' ');
  const std::string_view word = line.substr(0, end);
  line.remove_prefix(end == std::string_view::npos ? line.size() : end + 1);
  return word;
}

bool take_number(std::string_view& line, uint64_t& number) {
  const std::string_view word = take_word(line);
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number, 16);
  return error == std::errc() && end == word.data() + word.size();
}

bool read_line(std::string_view line, Module& module) {
  if (take_word(line) != "module" || !take_number(line, module.ticks) ||
      !take_number(line, module.begin) || !take_number(line, module.end) ||
      !take_number(line, module.bias)) {
    return false;
  }
  module.build_id = take_word(line);
  if (module.build_id == "-") module.build_id.clear();
  module.path = line;
  return module.begin < module.end && !module.path.empty();
}

}  // namespace

ModuleTable::ModuleTable(std::string_view text) {
  for (size_t end = text.find('\n'); end != std::string_view::npos; end = text.find('\n')) {
    Module module;
    if (read_line(text.substr(0, end), module)) {
      for (const Module& other : modules_) {
        is_ambiguous_ = is_ambiguous_ || (module.begin < other.end && other.begin < module.end);
      }
      modules_.push_back(std::move(module));
    } else {
      ++bad_lines_;
    }
    text.remove_prefix(end + 1);
  }
}

const Module* ModuleTable::find(uint64_t address, uint64_t ticks) const noexcept {
  const Module* found = nullptr;
  for (const Module& module : modules_) {
    if (address < module.begin || address >= module.end) continue;
    if (found == nullptr || module.ticks <= ticks) found = &module;
  }
  return found;
}

}  // namespace perseid
