// capture/string_table.cpp: loads the strings file and checks each text when it is first used.
#include "capture/string_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "capture/checksum.h"
#include "capture/format.h"

namespace perseid {
namespace {

constexpr std::string_view kNoName = "(name lost)";  // there was no room for it
constexpr std::string_view kUnreadable = "(unreadable name)";

template <class T>
T take(const std::byte* from) {
  T value;
  std::memcpy(&value, from, sizeof(value));
  return value;
}

/// What is wrong with the file, or "".
std::string check_header(const File& file, uint64_t session) {
  std::array<std::byte, sizeof(StringsHeader)> header{};
  if (!file.is_open()) return "the file cannot be opened";
  if (file.read_at(0, header.data(), header.size()) != header.size()) return "it is cut short";
  if (take<uint64_t>(header.data() + offsetof(StringsHeader, magic)) != kStringsMagic ||
      take<uint32_t>(header.data() + offsetof(StringsHeader, version)) != kFormatVersion) {
    return "it does not start with PRSDSTRS and a known version";
  }
  if (session != 0 && take<uint64_t>(header.data() + offsetof(StringsHeader, session)) != session) {
    return "it belongs to another session";
  }
  return "";
}

}  // namespace

StringTable::StringTable(File file, uint64_t session, DamageLog& damages)
    : file_(std::move(file)), damages_(&damages) {
  std::string problem = check_header(file_, session);
  is_sound_ = problem.empty();
  if (is_sound_ && used_bytes() > file_.size()) problem = "it is cut short";
  if (is_sound_) refresh();
  if (!problem.empty()) {
    damages.add({DamageKind::kStrings, 0, 0, "strings: " + problem + "; names are missing"});
  }
}

uint64_t StringTable::used_bytes() const noexcept {
  uint64_t used = 0;
  const size_t got = file_.read_at(offsetof(StringsHeader, used), &used, sizeof(used));
  return got == sizeof(used) ? used : 0;
}

void StringTable::refresh() {
  const uint64_t used = std::min({used_bytes(), file_.size(), kMaxBytes});
  if (used <= loaded_) return;
  std::string block(static_cast<size_t>(used - loaded_), '\0');
  block.resize(file_.read_at(loaded_, block.data(), block.size()));
  loaded_ += block.size();
  blocks_.push_back(std::move(block));
  block_ends_.push_back(loaded_);
  texts_.resize(static_cast<size_t>(loaded_ / 8));
}

std::string_view StringTable::find(uint32_t id) {
  if (id == 0) return kNoName;
  if (!is_sound_) return kUnreadable;
  const uint64_t at = uint64_t{id} * 8;
  if (at + sizeof(StringEntry) > loaded_) refresh();
  const auto report_problem = [&](const char* why) {
    damages_->add({DamageKind::kStrings, 0, at, fmt::format("strings: name {} {}", id, why)});
    if (id < texts_.size()) texts_[id] = kUnreadable;
    return kUnreadable;
  };
  if (at < sizeof(StringsHeader) || at + sizeof(StringEntry) > loaded_) {
    return report_problem("is outside the file");
  }
  const auto end = std::upper_bound(block_ends_.begin(), block_ends_.end(), at);
  const auto& block = blocks_[static_cast<size_t>(end - block_ends_.begin())];
  const uint64_t left = *end - at;  // bytes of the block from the entry on
  const char* const from = block.data() + (block.size() - left);
  StringEntry entry;
  if (left < sizeof(entry)) return report_problem("is cut short");
  std::memcpy(&entry, from, sizeof(entry));
  if (entry.length > kMaxStringBytes || sizeof(entry) + entry.length > left) {
    return report_problem("has an impossible length");
  }
  const std::string_view text(from + sizeof(entry), entry.length);
  if (checksum(text.data(), text.size()) != entry.checksum) {
    return report_problem("does not match its checksum");
  }
  texts_[id] = text;
  return text;
}

}  // namespace perseid
