// capture/manifest.cpp: reads the manifest's lines and checks its sum.
#include "capture/manifest.h"

#include <fmt/format.h>

#include <charconv>

#include "capture/checksum.h"
#include "capture/format.h"

namespace perseid {
namespace {

constexpr std::string_view kFirstWord = "perseid-capture ";
constexpr std::string_view kLastWord = "checksum ";

std::string unescape(std::string_view escaped) {
  std::string plain;
  plain.reserve(escaped.size());
  for (size_t i = 0; i < escaped.size(); ++i) {
    if (escaped[i] != '\\' || i + 1 == escaped.size()) {
      plain += escaped[i];
    } else {
      ++i;
      plain += escaped[i] == 'n' ? '\n' : escaped[i];
    }
  }
  return plain;
}

std::string escape(std::string_view plain) {
  std::string escaped;
  for (const char c : plain) {
    if (c == '\\') {
      escaped += "\\\\";
    } else if (c == '\n') {
      escaped += "\\n";
    } else {
      escaped += c;
    }
  }
  return escaped;
}

uint64_t number(std::string_view text, int base) noexcept {
  uint64_t value = 0;
  const auto end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value, base);
  return error == std::errc() && stop == end ? value : 0;
}

std::string_view take_line(std::string_view& text) noexcept {
  const size_t end = text.find('\n');
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  return line;
}

}  // namespace

std::string_view Manifest::get(std::string_view key) const noexcept {
  for (const auto& [known, value] : entries) {
    if (known == key) return value;
  }
  return {};
}

uint64_t Manifest::get_number(std::string_view key, int base) const noexcept {
  return number(get(key), base);
}

Manifest parse_manifest(std::string_view text) {
  Manifest manifest;
  std::string_view rest = text;
  const std::string_view first = take_line(rest);
  if (!first.starts_with(kFirstWord)) {
    manifest.problem = "its first line is not \"perseid-capture 1\"";
    return manifest;
  }
  manifest.version = static_cast<uint32_t>(number(first.substr(kFirstWord.size()), 10));
  if (manifest.version == 0) {
    manifest.problem = "it names no format version";
    return manifest;
  }

  bool has_checksum = false;
  while (!rest.empty()) {
    const size_t at = static_cast<size_t>(rest.data() - text.data());
    const std::string_view line = take_line(rest);
    if (line.starts_with(kLastWord)) {
      has_checksum = true;
      if (number(line.substr(kLastWord.size()), 16) != checksum(text.data(), at)) {
        manifest.problem = "its checksum does not match";
      } else if (!rest.empty()) {
        manifest.problem = "there is data after its checksum";
      }
      break;
    }
    const size_t space = line.find(' ');
    if (line.empty()) continue;
    manifest.entries.emplace_back(line.substr(0, space), space == std::string_view::npos
                                                             ? std::string()
                                                             : unescape(line.substr(space + 1)));
  }
  const bool is_whole = has_checksum && text.ends_with('\n');
  if (!is_whole && manifest.problem.empty()) manifest.problem = "it is cut short";
  return manifest;
}

std::string format_manifest(const std::vector<std::pair<std::string, std::string>>& entries) {
  std::string text = fmt::format("{}{}\n", kFirstWord, kFormatVersion);
  for (const auto& [key, value] : entries) text += fmt::format("{} {}\n", key, escape(value));
  text += fmt::format("{}{:08x}\n", kLastWord, checksum(text.data(), text.size()));
  return text;
}

}  // namespace perseid
