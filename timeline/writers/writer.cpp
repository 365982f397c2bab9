// timeline/writers/writer.cpp: file suffix -> writer.
#include "timeline/writers/writer.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <string_view>

#include "timeline/writers/json.h"

namespace perseid {
namespace {

template <class Writer>
std::unique_ptr<TraceSink> make(OutputFile& file) {
  return std::make_unique<Writer>(file);
}

constexpr WriterEntry kTable[] = {
    {".json", make<JsonWriter>},
};

bool is_special(const std::string& path) {
  struct stat status {};
  return ::stat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode);
}

}  // namespace

Result<ChosenWriter> choose_writer(const std::string& path) {
  const size_t slash = path.find_last_of('/');
  const std::string_view name =
      std::string_view(path).substr(slash == std::string::npos ? 0 : slash + 1);
  if (name.empty()) return Error{fmt::format("cannot write \"{}\": it names no file", path)};
  if (is_special(path)) return ChosenWriter{path, &kTable[0]};
  const size_t dot = name.find_last_of('.');
  if (dot == std::string_view::npos || dot == 0) {
    return ChosenWriter{path + kTable[0].suffix, &kTable[0]};
  }
  std::string known;
  for (const WriterEntry& entry : kTable) {
    if (name.substr(dot) == entry.suffix) return ChosenWriter{path, &entry};
    known += known.empty() ? entry.suffix : fmt::format(", {}", entry.suffix);
  }
  return Error{fmt::format("cannot write {}: no format is called \"{}\"; known are {}", path,
                           name.substr(dot), known)};
}

}  // namespace perseid
