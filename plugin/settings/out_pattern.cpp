// plugin/settings/out_pattern.cpp: expands pattern letters and keeps names within what file systems
// take.
#include "plugin/settings/out_pattern.h"

#include <stdlib.h>
#include <sys/stat.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <iterator>
#include <string_view>

#include "plugin/settings/file_name_text.h"
#include "plugin/settings/text_buffer.h"

namespace perseid {
namespace {

constexpr PatternLetterInfo kLetters[] = {
    {"%x", "name of the program"},
    {"%h", "host, without its domain"},
    {"%p", "process id"},
    {"%r", "rank, as MPI or the launcher gave it"},
    {"%s", "number of ranks"},
    {"%l", "rank among those of this host"},
    {"%j", "job id of the batch system"},
    {"%J", "job id and step, as 4711.0"},
    {"%a", "index within a job array"},
    {"%n", "how often the job was restarted"},
    {"%t", "start of the process, UTC, as 20240131-235959"},
    {"%q{NAME}", "the environment variable NAME"},
    {"%%", "a percent sign"},
};

constexpr std::string_view kDefaultWithPid = "perseid-%x-%p.json";
constexpr std::string_view kDefaultInJob = "perseid-%x-%j_%a-%r.json";
constexpr std::string_view kDefaultInRestart = "perseid-%x-%j_%a-restart%n-%r.json";
constexpr std::string_view kDefaultOfAll = "perseid-%x-%j_%a.json";
constexpr std::string_view kDefaultOfAllInRestart = "perseid-%x-%j_%a-restart%n.json";
/// Larger jobs would overload one directory, and its file server, with files.
constexpr uint64_t kMaxRanksInDirectory = 1000;
constexpr uint64_t kRanksPerDirectory = 256;
constexpr std::string_view kTimelineSuffixes[] = {".json.gz", ".json",   ".pftrace.gz",
                                                  ".pftrace", ".csv.gz", ".csv"};
constexpr size_t kMaxPathBytes = PATH_MAX - 1 - kPathReserve;

/// Room for a path that is too long, so that it is seen to be.
using WidePath = char[2 * PATH_MAX];

class Expansion {
 public:
  Expansion(TextBuffer& text, const JobEnvironment& environment, ReportProblem report_problem,
            void* context) noexcept
      : text_(text),
        environment_(environment),
        report_problem_(report_problem),
        context_(context) {}

  void run(std::string_view pattern) noexcept {
    while (!pattern.empty()) {
      if (pattern[0] == '%') {
        expand(pattern);
      } else {
        text_.add(pattern[0]);
        pattern.remove_prefix(1);
      }
    }
  }

 private:
  void expand(std::string_view& pattern) noexcept {
    const char letter = pattern.size() > 1 ? pattern[1] : '\0';
    if (letter == 'q' && pattern.size() > 2 && pattern[2] == '{') return variable(pattern);
    switch (letter) {
      case 'x':
        value(environment_.exe);
        break;
      case 'h':
        value(environment_.host);
        break;
      case 'p':
        text_.add_number(environment_.pid);
        break;
      case 'r':
        value(environment_.rank);
        break;
      case 'j':
        value(environment_.job);
        break;
      case 'J':
        value(environment_.job);
        if (environment_.job[0] && environment_.step[0]) {
          text_.add('.');
          value(environment_.step);
        }
        break;
      case 's':
        value(environment_.size);
        break;
      case 'l':
        value(environment_.local_rank);
        break;
      case 'n':
        value(environment_.restart);
        break;
      case 'a':
        value(environment_.array_index);
        break;
      case 't':
        time(environment_.start_s);
        break;
      case '%':
        text_.add('%');
        break;
      default:
        unknown(pattern);
        return;
    }
    pattern.remove_prefix(2);
  }

  void unknown(std::string_view& pattern) noexcept {
    const std::string_view letters = pattern.substr(0, 2);
    text_.add(letters);
    pattern.remove_prefix(letters.size());
    char sentence[256];
    TextBuffer(sentence).add("out: ").add_quoted(letters).add(
        " is not a pattern letter and is kept as it is; see `perseid env`");
    if (report_problem_) report_problem_(context_, sentence);
  }

  void variable(std::string_view& pattern) noexcept {
    const size_t end = pattern.find('}');
    char name[256];
    TextBuffer name_text(name);
    name_text.add(pattern.substr(3, end == std::string_view::npos ? end : end - 3));
    if (end == std::string_view::npos || name_text.is_cut()) return unknown(pattern);
    pattern.remove_prefix(end + 1);
    const char* found = secure_getenv(name);
    value(found ? found : "");
    if (found) return;
    char sentence[512];
    TextBuffer(sentence)
        .add("out: the variable ")
        .add_quoted(name)
        .add(" is not set and is omitted from the name");
    if (report_problem_) report_problem_(context_, sentence);
  }

  void value(std::string_view foreign) noexcept {
    if (!foreign.empty()) return add_file_name_text(text_, foreign);
    const std::string_view before = text_.view();
    if (before.ends_with('-') || before.ends_with('_') || before.ends_with('.')) {
      text_.cut_to(before.size() - 1);
    }
  }

  /// gmtime_r() may allocate and lock inside the C library; the calendar is short enough.
  void time(int64_t seconds) noexcept {
    const int64_t days = seconds / 86400;
    const int64_t second = seconds % 86400;
    // Years from March on, so that the leap day is the last of its year; 400 of them repeat.
    const int64_t shifted = days + 719468;
    const int64_t era_day = shifted % 146097;
    const int64_t era_year = (era_day - era_day / 1460 + era_day / 36524 - era_day / 146096) / 365;
    const int64_t year_day = era_day - (365 * era_year + era_year / 4 - era_year / 100);
    const int64_t march_month = (5 * year_day + 2) / 153;
    const int64_t month = march_month < 10 ? march_month + 3 : march_month - 9;
    const int64_t year = shifted / 146097 * 400 + era_year + (month <= 2 ? 1 : 0);
    padded(year, 4);
    padded(month, 2);
    padded(year_day - (153 * march_month + 2) / 5 + 1, 2);
    text_.add('-');
    padded(second / 3600, 2);
    padded(second / 60 % 60, 2);
    padded(second % 60, 2);
  }

  void padded(int64_t number, int digits) noexcept {
    for (int64_t limit = 10; --digits > 0; limit *= 10) {
      if (number < limit) text_.add('0');
    }
    text_.add_number(static_cast<uint64_t>(number));
  }

  TextBuffer& text_;
  const JobEnvironment& environment_;
  ReportProblem report_problem_;
  void* context_;
};

/// Expands into `text`, made absolute.
void expand_path(std::string_view pattern, const JobEnvironment& environment,
                 std::string_view working_directory, TextBuffer& text, ReportProblem report_problem,
                 void* context) noexcept {
  while (pattern.starts_with("./")) {
    pattern.remove_prefix(2);
    while (pattern.starts_with('/')) pattern.remove_prefix(1);
  }
  if (!pattern.starts_with('/')) {
    text.add(working_directory);
    if (!working_directory.ends_with('/')) text.add('/');
  }
  if (pattern == ".") return;
  Expansion(text, environment, report_problem, context).run(pattern);
}

bool is_directory(const TextBuffer& path) noexcept {
  struct stat found;
  return !path.is_cut() && stat(path.c_str(), &found) == 0 && S_ISDIR(found.st_mode);
}

std::string_view default_name(const JobEnvironment& environment) noexcept {
  if (environment.restart[0])
    return environment.rank[0] ? kDefaultInRestart : kDefaultOfAllInRestart;
  if (environment.rank[0]) return kDefaultInJob;
  return environment.job[0] ? kDefaultOfAll : kDefaultWithPid;
}

void add_default_name(TextBuffer& text, const JobEnvironment& environment) noexcept {
  Expansion(text, environment, nullptr, nullptr).run(default_name(environment));
}

uint64_t number(const char* text) noexcept {
  uint64_t value = 0;
  std::from_chars(text, text + std::strlen(text), value);
  return value;
}

/// "r3/" before the name of a rank of a large job. Whoever uses letters in directories has
/// thought of it.
void fan_out(TextBuffer& text, size_t name_at, std::string_view pattern,
             const JobEnvironment& environment) noexcept {
  const size_t slash = pattern.rfind('/');
  const bool is_planned = slash != std::string_view::npos &&
                          pattern.substr(0, slash).find('%') != std::string_view::npos;
  if (!environment.rank[0] || number(environment.size) <= kMaxRanksInDirectory || is_planned)
    return;
  WidePath name;
  TextBuffer kept(name);
  kept.add(text.view().substr(name_at));
  text.cut_to(name_at);
  text.add('r').add_number(number(environment.rank) / kRanksPerDirectory).add('/').add(kept.view());
}

/// The suffix by which the timeline's format is known, or empty.
std::string_view timeline_suffix(std::string_view name) noexcept {
  for (const std::string_view suffix : kTimelineSuffixes) {
    if (name.ends_with(suffix) && name.size() > suffix.size()) return suffix;
  }
  return {};
}

/// Nothing is left of a name such as "%r.json" where there is no rank.
bool is_only_suffix(std::string_view name) noexcept {
  return name.empty() || std::ranges::find(kTimelineSuffixes, name) != std::end(kTimelineSuffixes);
}

void report_length_problem(std::string_view what, std::string_view used,
                           ReportProblem report_problem, void* context) noexcept {
  if (!report_problem) return;
  char sentence[PATH_MAX + 128];
  TextBuffer(sentence).add(what).add(" is too long for this system; using ").add(used);
  report_problem(context, sentence);
}

/// Adds directory and name to `path`, cut to what the system takes.
void fit(std::string_view setting, std::string_view directory, std::string_view name,
         TextBuffer& path, ReportProblem report_problem, void* context) noexcept {
  const std::string_view suffix = timeline_suffix(name);
  const bool is_name_long = name.size() > kMaxNameBytes;
  const size_t stem = (is_name_long ? kMaxNameBytes : name.size()) - suffix.size();
  const bool is_path_long = directory.size() + stem + suffix.size() > kMaxPathBytes;
  path.add(is_path_long ? "/tmp/" : directory).add(name.substr(0, stem)).add(suffix);
  if (is_name_long || is_path_long)
    report_length_problem(setting, path.view(), report_problem, context);
}

/// The disk of this node, as batch systems name it.
const char* local_directory() noexcept {
  for (const char* name : {"SLURM_TMPDIR", "JOBFS", "TMPDIR"}) {
    const char* value = secure_getenv(name);
    if (value && value[0] == '/') return value;
  }
  return "/tmp";
}

}  // namespace

std::span<const PatternLetterInfo> pattern_letters() noexcept { return kLetters; }

void timeline_path(const char* pattern, const JobEnvironment& environment,
                   const char* working_directory, char (&path)[PATH_MAX],
                   ReportProblem report_problem, void* context) noexcept {
  WidePath wide;
  TextBuffer text(wide);
  expand_path(pattern, environment, working_directory, text, report_problem, context);
  if (!text.view().ends_with('/') && is_directory(text)) text.add('/');
  size_t name_at = text.view().rfind('/') + 1;
  if (is_only_suffix(text.view().substr(name_at))) {
    text.cut_to(name_at);
    add_default_name(text, environment);
  }
  fan_out(text, name_at, pattern, environment);
  name_at = text.view().rfind('/') + 1;
  TextBuffer fitted(path);
  fit("out", text.view().substr(0, name_at), text.view().substr(name_at), fitted, report_problem,
      context);
}

void capture_path(const char* timeline, const char* dir, const JobEnvironment& environment,
                  const char* working_directory, char (&path)[PATH_MAX],
                  ReportProblem report_problem, void* context) noexcept {
  const std::string_view whole(timeline);
  const size_t name_at = whole.rfind('/') + 1;
  const std::string_view name = whole.substr(name_at);
  const std::string_view stem = name.substr(0, name.size() - timeline_suffix(name).size());

  WidePath wide;
  TextBuffer directory(wide);
  if (*dir) {
    const char* const place = std::strcmp(dir, "local") == 0 ? local_directory() : dir;
    expand_path(place, environment, working_directory, directory, report_problem, context);
    if (!directory.view().ends_with('/')) directory.add('/');
  } else {
    directory.add(whole.substr(0, name_at));
  }
  TextBuffer fitted(path);
  fit("dir", directory.view(), stem, fitted, report_problem, context);
  fitted.add(kCaptureSuffix);
}

}  // namespace perseid
