// timeline/check/report.cpp: a check's findings as text.
#include "timeline/check/report.h"

#include <fmt/format.h>

#include <algorithm>

#include "timeline/writers/printable.h"

namespace perseid {
namespace {

constexpr size_t kMaxLanesShown = 200;

}  // namespace

std::string format(const CheckReport& report) {
  std::string text = printable(report.title) + "\n";
  size_t width = 0;
  for (const Fact& fact : report.facts) width = std::max(width, printable(fact.key).size());
  for (const Fact& fact : report.facts) {
    text += fmt::format("  {:<{}}  {}\n", printable(fact.key), width, printable(fact.value));
  }
  if (!report.kinds.empty()) text += "events\n";
  for (const auto& [kind, count] : report.kinds)
    text += fmt::format("  {:>12}  {}\n", count, printable(kind));
  if (!report.lanes.empty()) text += "lanes\n";
  size_t shown = 0;
  for (const CheckReport::LaneCount& lane : report.lanes) {
    if (++shown > kMaxLanesShown) {
      text += fmt::format("  and {} more\n", report.lanes.size() - kMaxLanesShown);
      break;
    }
    text += fmt::format("  {:>12}  {}", lane.slices + lane.instants + lane.samples,
                        printable(lane.name));
    if (lane.instants > 0) text += fmt::format(", {} of them instants", lane.instants);
    text += '\n';
  }
  if (report.damages > 0) text += "damage\n";
  for (const std::string& damage : report.damage_texts)
    text += fmt::format("  {}\n", printable(damage));
  if (report.damages > report.damage_texts.size()) {
    text += fmt::format("  and {} more\n", report.damages - report.damage_texts.size());
  }
  if (report.is_sound() && !report.kept.empty()) {
    return text + fmt::format("undamaged: a flight recorder kept {}\n", report.kept);
  }
  if (report.is_sound()) return text + "sound: nothing lost, nothing damaged\n";
  text += fmt::format("not whole: {} lost, {} damaged", report.lost, report.damages);
  if (!report.kept.empty()) text += fmt::format("; a flight recorder kept {}", report.kept);
  return text + '\n';
}

}  // namespace perseid
