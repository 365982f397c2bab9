// timeline/symbols/code_place.cpp: texts for places.
#include "timeline/symbols/code_place.h"

#include <cxxabi.h>
#include <fmt/format.h>

#include <cstdlib>
#include <memory>

namespace perseid {
namespace {

std::string demangled(const std::string& symbol) {
  if (!symbol.starts_with("_Z")) return symbol;
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(
      abi::__cxa_demangle(symbol.c_str(), nullptr, nullptr, &status), &std::free);
  return status == 0 && text ? std::string(text.get()) : symbol;
}

/// Cuts at the first character of `stops` that is in no bracket; from the end of a name such as
/// "operator()" on.
size_t find_outside_brackets(std::string_view text, char wanted, size_t from) {
  int depth = 0;
  for (size_t i = from; i < text.size(); ++i) {
    const char c = text[i];
    if (depth == 0 && c == wanted) return i;
    if (c == '<' || c == '(' || c == '{' || c == '[') ++depth;
    if ((c == '>' && (i == 0 || text[i - 1] != '-')) || c == ')' || c == '}' || c == ']') --depth;
  }
  return std::string_view::npos;
}

std::string without_signature(std::string_view name) {
  constexpr std::string_view kAnonymous = "(anonymous namespace)::";
  std::string plain(name);
  for (size_t at = plain.find(kAnonymous); at != std::string::npos; at = plain.find(kAnonymous)) {
    plain.erase(at, kAnonymous.size());
  }
  const size_t operator_at = plain.find("operator");
  if (operator_at != std::string::npos) {
    const size_t parameters =
        plain.find('(', plain.find("operator()", operator_at) == operator_at
                            ? operator_at + std::string_view("operator()").size()
                            : operator_at);
    return plain.substr(0, parameters);
  }
  const size_t parameters = find_outside_brackets(plain, '(', 0);
  plain = plain.substr(0, parameters);
  const size_t space = find_outside_brackets(plain, ' ', 0);
  return space == std::string::npos ? plain : plain.substr(space + 1);
}

}  // namespace

std::string shown_function(std::string_view symbol) {
  for (const std::string_view suffix :
       {"._omp_fn.", ".omp_outlined", ".omp_task_entry", "._omp_cpyfn"}) {
    symbol = symbol.substr(0, symbol.find(suffix));
  }
  const size_t clone = symbol.find(".", 1);  // main.cold, f.constprop.0, f.isra.0
  symbol = symbol.substr(0, clone);
  if (symbol.empty() || symbol[0] == '.') return {};
  const std::string name = demangled(std::string(symbol));
  return symbol.starts_with("_Z") ? without_signature(name) : name;
}

std::string CodePlace::text() const {
  if (line > 0 && !file.empty()) {
    return function.empty() ? fmt::format("{}:{}", file, line)
                            : fmt::format("{} ({}:{})", function, file, line);
  }
  if (module.empty()) return function;
  return function.empty() ? fmt::format("{}+{:#x}", module, offset)
                          : fmt::format("{} ({}+{:#x})", function, module, offset);
}

}  // namespace perseid
