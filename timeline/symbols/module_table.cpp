// timeline/symbols/module_table.cpp: reads the lines of the `modules` text.
#include "timeline/symbols/module_table.h"

#include <algorithm>
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
      modules_.push_back(std::move(module));
    } else {
      ++bad_lines_;
    }
    text.remove_prefix(end + 1);
  }
  sort();
}

void ModuleTable::sort() {
  for (uint32_t i = 0; i < modules_.size(); ++i) by_begin_.push_back({modules_[i].begin, 0, i});
  std::stable_sort(by_begin_.begin(), by_begin_.end(),
                   [](const Place& a, const Place& b) { return a.begin < b.begin; });
  uint64_t furthest = 0;
  for (Place& place : by_begin_) {
    is_ambiguous_ = is_ambiguous_ || place.begin < furthest;
    furthest = std::max(furthest, modules_[place.index].end);
    place.furthest_end = furthest;
  }
}

const Module* ModuleTable::find(uint64_t address, uint64_t ticks) const noexcept {
  constexpr int kMaxSteps = 4096;  // more than any program loads at one place
  const Module* earliest = nullptr;
  const Module* latest = nullptr;
  auto at = std::upper_bound(by_begin_.begin(), by_begin_.end(), address,
                             [](uint64_t a, const Place& place) { return a < place.begin; });
  for (int step = 0; step < kMaxSteps && at != by_begin_.begin(); ++step) {
    --at;
    if (address >= at->furthest_end) break;
    const Module* const module = &modules_[at->index];
    if (address >= module->end) continue;
    if (earliest == nullptr || module < earliest) earliest = module;
    if (module->ticks <= ticks && (latest == nullptr || module > latest)) latest = module;
  }
  return latest != nullptr ? latest : earliest;
}

}  // namespace perseid
