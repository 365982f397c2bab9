// timeline/walk/losses.cpp: adds up what captures lack, and describes it.
#include "timeline/walk/losses.h"

#include <fmt/format.h>

#include <algorithm>

namespace perseid {
namespace {

std::string human_time(int64_t ns) {
  const auto value = static_cast<double>(ns);
  return ns >= 1'000'000'000 ? fmt::format("{:.1f} s", value / 1e9)
                             : fmt::format("{:.1f} ms", value / 1e6);
}

}  // namespace

void Losses::add(const Losses& other) noexcept {
  dropped += other.dropped;
  nested += other.nested;
  names += other.names;
  run_ns = std::max(run_ns, other.run_ns);
  if (other.overwritten_bytes == 0) return;
  kept_ns = overwritten_bytes > 0 ? std::min(kept_ns, other.kept_ns) : other.kept_ns;
  overwritten_bytes += other.overwritten_bytes;
}

std::string human_bytes(uint64_t bytes) {
  if (bytes < 1024) return fmt::format("{} B", bytes);
  if (bytes < 1024 * 1024) return fmt::format("{:.1f} KiB", static_cast<double>(bytes) / 1024);
  return fmt::format("{:.1f} MiB", static_cast<double>(bytes) / (1024 * 1024));
}

std::string describe_kept(const Losses& losses) {
  if (losses.overwritten_bytes == 0) return {};
  return fmt::format("the last {} of {}, {} of older events overwritten",
                     human_time(losses.kept_ns), human_time(losses.run_ns),
                     human_bytes(losses.overwritten_bytes));
}

std::string describe(const Losses& losses) {
  std::string text = describe_kept(losses);
  if (!text.empty() && losses.total() == 0) return "kept " + text;
  if (!text.empty()) text = ", kept " + text;
  std::string parts;
  const auto part = [&](uint64_t count, const char* what) {
    if (count > 0) parts += fmt::format("{}{} {}", parts.empty() ? "" : ", ", count, what);
  };
  part(losses.nested, "in signal handlers that interrupted Perseid");
  part(losses.names, losses.names == 1 ? "name" : "names");
  if (!parts.empty()) parts = fmt::format(" ({})", parts);
  return fmt::format("{} lost{}{}", losses.total(), parts, text);
}

}  // namespace perseid
