// timeline/writers/writer.cpp: file suffix -> writer.
#include "timeline/writers/writer.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <string_view>

#include "timeline/writers/json/json_writer.h"
#include "timeline/writers/pftrace.h"

namespace perseid {
namespace {

template <class Writer>
std::unique_ptr<TimelineWriter> make(ByteSink& sink) {
  return std::make_unique<Writer>(sink);
}

constexpr WriterEntry kTable[] = {
    {".json", false, make<JsonWriter>},
    {".json.gz", true, make<JsonWriter>},
    {".pftrace", false, make<PftraceWriter>},
    {".pftrace.gz", true, make<PftraceWriter>},
};

bool is_special(const std::string& path, OutputFile::Special special) {
  struct stat status {};
  return special == OutputFile::Special::kWrite && ::stat(path.c_str(), &status) == 0 &&
         !S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode);
}

std::string_view file_name(std::string_view path) {
  const size_t slash = path.find_last_of('/');
  return path.substr(slash == std::string_view::npos ? 0 : slash + 1);
}

/// Of a name that is more than its suffix.
const WriterEntry* find_by_suffix(std::string_view name) {
  for (const WriterEntry& entry : kTable) {
    if (name.size() > std::string_view(entry.suffix).size() && name.ends_with(entry.suffix)) {
      return &entry;
    }
  }
  return nullptr;
}

}  // namespace

const WriterEntry* find_format(std::string_view name) {
  for (const WriterEntry& entry : kTable) {
    if (name == std::string_view(entry.suffix).substr(1)) return &entry;
  }
  return nullptr;
}

std::string known_formats() {
  std::string known;
  for (const WriterEntry& entry : kTable) {
    known += fmt::format("{}{}", known.empty() ? "" : ", ", entry.suffix);
  }
  return known;
}

Result<ChosenWriter> choose_writer(const std::string& path, OutputFile::Special special) {
  const std::string_view name = file_name(path);
  if (name.empty()) return Error{fmt::format("cannot write \"{}\": it names no file", path)};
  if (is_special(path, special)) return ChosenWriter{path, &kTable[0], special};
  if (const WriterEntry* const entry = find_by_suffix(name)) {
    return ChosenWriter{path, entry, special};
  }
  const size_t dot = name.find_last_of('.');
  if (dot == std::string_view::npos || dot == 0) {
    return ChosenWriter{path + kTable[0].suffix, &kTable[0], special};
  }
  return Error{fmt::format("cannot write {}: no format is called \"{}\"; known are {}", path,
                           name.substr(dot), known_formats())};
}

Result<std::vector<ChosenWriter>> choose_writers(const std::string& path, std::string_view formats,
                                                 OutputFile::Special special) {
  std::vector<ChosenWriter> chosen;
  std::string stem = path;
  if (is_special(path, special)) {
    stem = path;
  } else if (const WriterEntry* const known = find_by_suffix(file_name(path))) {
    stem.resize(stem.size() - std::string_view(known->suffix).size());
  }
  while (!formats.empty()) {
    const size_t end = std::min(formats.find('+'), formats.size());
    const std::string_view name = formats.substr(0, end);
    const WriterEntry* const entry = find_format(name);
    if (entry == nullptr) {
      return Error{fmt::format("no format is called \"{}\"; known are {}", name, known_formats())};
    }
    chosen.push_back({is_special(path, special) ? path : stem + entry->suffix, entry, special});
    formats.remove_prefix(std::min(end + 1, formats.size()));
  }
  return chosen;
}

}  // namespace perseid
