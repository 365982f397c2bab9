// tools/perseid/child_environment.cpp: joins our values with the user's.
#include "tools/perseid/child_environment.h"

namespace perseid {

std::string preload_value(const char* existing, std::string_view library) {
  std::string value(library);
  std::string_view rest = existing ? existing : "";
  while (!rest.empty()) {
    const size_t end = rest.find_first_of(": ");
    const std::string_view item = rest.substr(0, end);
    rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
    if (item.empty() || item == library) continue;
    value += ':';
    value += item;
  }
  return value;
}

std::string settings_value(const char* existing, const std::vector<std::string>& items) {
  std::string value = existing && *existing ? std::string(existing) + ",on" : "on";
  for (const std::string& item : items) {
    value += ',';
    for (const char c : item) {
      if (c == ',' || c == '\\') value += '\\';
      value += c;
    }
  }
  return value;
}

}  // namespace perseid
