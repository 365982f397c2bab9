// plugin/settings.cpp: the syntax of STARPU_TRACE_PLUGIN and PERSEID.
//
//   value := item { "," item }          "\," and "\\" are a plain comma and a plain backslash
//   item  := "0" | "off" | "1" | "on" | PATH_OF_THIS_LIBRARY | KEY "=" VALUE | PATTERN
//
// A variable with any other item than a switch is on, unless one of its items is "off".
#include "plugin/settings.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <string_view>

#include "plugin/nearest_word.h"
#include "plugin/rank_selection.h"
#include "plugin/text_buffer.h"
#include "plugin/timeline_formats.h"

namespace perseid {
namespace {

constexpr SettingInfo kTable[] = {
    {"out", "path or pattern", "perseid-%x-%j-%r.json",
     "where the timeline goes; an item without `key=` is the same"},
    {"format", "json, pftrace, each .gz", "by the name of out",
     "what is written, such as pftrace.gz; several with + between them"},
    {"max_events", "number, all", "all", "a timeline of more slices and samples is cut there"},
    {"max_bytes", "size from 1M, all", "all", "a larger timeline is cut there; before compression"},
    {"dir", "path or pattern, local", "beside the timeline",
     "where captures are kept during the run; local: $SLURM_TMPDIR, $JOBFS, $TMPDIR or /tmp"},
    {"ring", "64K to 1G", "1M", "memory of one thread's ring, rounded up to a power of two"},
    {"on_full", "flush, drop, overwrite", "flush",
     "a full ring: its thread writes it out, new records are counted only, or the oldest go"},
    {"memory", "size", "512M", "all rings together; near it new threads get smaller rings"},
    {"keep", "0, 1", "0", "keep the capture after a good export"},
    {"paused", "0, 1", "0", "record nothing until perseid_resume()"},
    {"follow_fork", "0, 1", "1", "a forked child records a session of its own"},
    {"export", "0, 1", "1", "write the timeline when the process ends; 0 leaves the capture"},
    {"quiet", "0, 1", "0", "no line at the end of the run; errors are still told"},
    {"clock", "auto, tsc, monotonic", "auto", "auto takes the TSC if the kernel trusts it"},
    {"rings", "auto, shm, capture", "auto",
     "rings live in /dev/shm or in the capture; auto takes /dev/shm if it has room"},
    {"deps", "number, all", "100000", "most arrows for dependencies between tasks; 0 draws none"},
    {"starpu", "tasks, all", "all",
     "tasks: submissions, waits, executions; all: scheduling, data, transfers too"},
    {"cuda", "0, 1, graphs", "1",
     "what CUDA devices do, through CUPTI; graphs: a slice per graph, not per node"},
    {"nvtx", "0, 1", "0", "ranges and names that the program gives with NVTX, through CUPTI"},
    {"opencl", "auto, on, off", "auto",
     "what OpenCL devices do; auto: in programs that use StarPU"},
    {"ranks", "0,4-7 or every:64", "all",
     "the ranks of an MPI job that are traced; the others do nothing at all"},
    {"test_clock", "NS/PPM", "0/0",
     "for tests: a clock that is off by rank times NS and runs rank times PPM too fast"},
    {"log", "path", "stderr", "where messages go"},
};

/// Less would not hold the names of a large machine's lanes.
constexpr uint64_t kMinTimelineBytes = 1024 * 1024;

/// Who is read, and where complaints go.
struct Source {
  const char* name;
  Complain complain;
  void* context;
  bool has_complained = false;

  void say(const char* sentence) noexcept {
    has_complained = true;
    if (complain) complain(context, sentence);
  }
};

enum class Switch { kNone, kOff, kOn };

bool equals_ignoring_case(std::string_view a, std::string_view lower) noexcept {
  return std::ranges::equal(a, lower, [](char x, char y) {
    return (x >= 'A' && x <= 'Z' ? static_cast<char>(x - 'A' + 'a') : x) == y;
  });
}

Switch as_switch(std::string_view text) noexcept {
  for (const std::string_view on : {"1", "on", "yes", "true"}) {
    if (equals_ignoring_case(text, on)) return Switch::kOn;
  }
  for (const std::string_view off : {"0", "off", "no", "false"}) {
    if (equals_ignoring_case(text, off)) return Switch::kOff;
  }
  return Switch::kNone;
}

/// "64K" -> 65536. False if it is no size or does not fit.
bool parse_size(std::string_view text, uint64_t& bytes) noexcept {
  uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end == text.data()) return false;
  const std::string_view suffix(end, static_cast<size_t>(text.data() + text.size() - end));
  unsigned shift = 0;
  if (equals_ignoring_case(suffix, "k")) shift = 10;
  if (equals_ignoring_case(suffix, "m")) shift = 20;
  if (equals_ignoring_case(suffix, "g")) shift = 30;
  if (shift == 0 && !suffix.empty()) return false;
  if (number > UINT64_MAX >> shift) return false;
  bytes = number << shift;
  return true;
}

void add_size(TextBuffer& text, uint64_t bytes) noexcept {
  constexpr std::string_view kSuffixes = "GMK";
  for (size_t i = 0; i < kSuffixes.size(); ++i) {
    const unsigned shift = static_cast<unsigned>(30 - 10 * i);
    if (bytes >> shift == 0 || bytes % (uint64_t{1} << shift) != 0) continue;
    text.add_number(bytes >> shift).add(kSuffixes[i]);
    return;
  }
  text.add_number(bytes);
}

/// Starts `PERSEID: ring="12Q"`.
TextBuffer& name_value(TextBuffer& text, const Source& source, std::string_view key,
                       std::string_view value) noexcept {
  return text.add(source.name).add(": ").add(key).add('=').add_quoted(value);
}

void complain_of_size(Source& source, std::string_view key, std::string_view value,
                      std::string_view why, uint64_t used) noexcept {
  char sentence[512];
  TextBuffer text(sentence);
  name_value(text, source, key, value).add(why).add("; using ");
  add_size(text, used);
  source.say(sentence);
}

void set_size(Source& source, std::string_view key, std::string_view value, uint64_t least,
              uint64_t most, uint64_t& setting) noexcept {
  uint64_t bytes = 0;
  if (!parse_size(value, bytes)) {
    complain_of_size(source, key, value, " is not a size such as 64K or 4M", setting);
    return;
  }
  setting = std::clamp(bytes, least, most);
  if (bytes < least) complain_of_size(source, key, value, " is too small", setting);
  if (bytes > most) complain_of_size(source, key, value, " is too large", setting);
}

void set_bool(Source& source, std::string_view key, std::string_view value,
              bool& setting) noexcept {
  const Switch parsed = as_switch(value);
  if (parsed != Switch::kNone) {
    setting = parsed == Switch::kOn;
    return;
  }
  char sentence[512];
  TextBuffer text(sentence);
  name_value(text, source, key, value).add(" is not 0 or 1; using ").add(setting ? '1' : '0');
  source.say(sentence);
}

void set_count(Source& source, std::string_view key, std::string_view value,
               uint64_t& setting) noexcept {
  if (equals_ignoring_case(value, "all")) {
    setting = UINT64_MAX;
    return;
  }
  uint64_t number = 0;
  const char* const end = value.data() + value.size();
  const auto [stop, error] = std::from_chars(value.data(), end, number);
  if (error == std::errc() && stop == end && !value.empty()) {
    setting = number;
    return;
  }
  char sentence[512];
  TextBuffer text(sentence);
  name_value(text, source, key, value).add(" is neither a number nor all; using ");
  setting == UINT64_MAX ? text.add("all") : text.add_number(setting);
  source.say(sentence);
}

/// `words` are in the order of the enumerators.
template <class Enum, size_t N>
void set_choice(Source& source, std::string_view key, std::string_view value,
                const std::string_view (&words)[N], Enum& setting) noexcept {
  for (size_t i = 0; i < N; ++i) {
    if (!equals_ignoring_case(value, words[i])) continue;
    setting = static_cast<Enum>(i);
    return;
  }
  char sentence[512];
  TextBuffer text(sentence);
  name_value(text, source, key, value).add(" is not one of ");
  for (size_t i = 0; i < N; ++i) text.add(i == 0 ? "" : ", ").add(words[i]);
  text.add("; using ").add(words[static_cast<size_t>(setting)]);
  source.say(sentence);
}

void set_limit_bytes(Source& source, std::string_view key, std::string_view value,
                     uint64_t& setting) noexcept {
  if (equals_ignoring_case(value, "all")) {
    setting = UINT64_MAX;
    return;
  }
  uint64_t bytes = 0;
  if (parse_size(value, bytes)) {
    setting = std::max(bytes, kMinTimelineBytes);
    if (bytes < kMinTimelineBytes) complain_of_size(source, key, value, " is too small", setting);
    return;
  }
  char sentence[512];
  TextBuffer text(sentence);
  name_value(text, source, key, value).add(" is not a size such as 500M; using ");
  setting == UINT64_MAX ? text.add("all") : text.add_number(setting);
  source.say(sentence);
}

void set_format(Source& source, std::string_view value, Settings& settings) noexcept {
  if (value.size() < sizeof settings.format && are_formats(value)) {
    TextBuffer(settings.format).add(value);
    return;
  }
  char sentence[512];
  TextBuffer text(sentence);
  name_value(text, source, "format", value).add(" is not one of ");
  for (size_t i = 0; i < std::size(kFormats); ++i) text.add(i == 0 ? "" : ", ").add(kFormats[i]);
  text.add(", or several with + between them; using ");
  text.add(settings.format[0] ? settings.format : "the format that the file's name says");
  source.say(sentence);
}

void set_cuda(Source& source, std::string_view key, std::string_view value,
              CudaChoice& setting) noexcept {
  const Switch parsed = as_switch(value);
  if (parsed != Switch::kNone) {
    setting = parsed == Switch::kOn ? CudaChoice::kOn : CudaChoice::kOff;
    return;
  }
  constexpr std::string_view kWords[] = {"0", "1", "graphs"};
  set_choice(source, key, value, kWords, setting);
}

void set_path(Source& source, std::string_view key, std::string_view value,
              char (&setting)[PATH_MAX]) noexcept {
  if (value.size() < PATH_MAX) {
    TextBuffer(setting).add(value);
    return;
  }
  char sentence[512];
  TextBuffer text(sentence);
  name_value(text, source, key, value).add(" is longer than a path can be; using ");
  text.add_quoted(setting[0] ? setting : "the default");
  source.say(sentence);
}

void set_ranks(Source& source, std::string_view value, Settings& settings) noexcept {
  if (equals_ignoring_case(value, "all") || value.empty()) {
    settings.ranks[0] = '\0';
  } else if (value.size() < sizeof settings.ranks && is_rank_selection(value)) {
    TextBuffer(settings.ranks).add(value);
  } else {
    char sentence[512];
    TextBuffer text(sentence);
    name_value(text, source, "ranks", value)
        .add(" is no list of ranks such as 0,4-7 or every:64; using ")
        .add(settings.ranks[0] ? settings.ranks : "all");
    source.say(sentence);
  }
}

void set_test_clock(Source& source, std::string_view value, Settings& settings) noexcept {
  const char* const end = value.data() + value.size();
  int64_t ns = 0, ppm = 0;
  auto [stop, error] = std::from_chars(value.data(), end, ns);
  bool is_good = error == std::errc() && stop != end && *stop == '/';
  if (is_good) {
    const auto second = std::from_chars(stop + 1, end, ppm);
    is_good = second.ec == std::errc() && second.ptr == end;
  }
  if (is_good) {
    settings.test_clock_ns = ns;
    settings.test_clock_ppm = ppm;
    return;
  }
  char sentence[512];
  TextBuffer text(sentence);
  name_value(text, source, "test_clock", value).add(" is not NS/PPM; using 0/0");
  source.say(sentence);
}

void complain_of_key(Source& source, std::string_view key) noexcept {
  NearestWord nearest(key);
  for (const SettingInfo& known : kTable) nearest.offer(known.key);
  char sentence[512];
  TextBuffer text(sentence);
  text.add(source.name).add(": unknown setting ").add_quoted(key);
  if (nearest.found().empty()) {
    text.add(" is left out; `perseid env` lists the settings");
  } else {
    text.add("; did you mean ").add_quoted(nearest.found()).add('?');
  }
  source.say(sentence);
}

void set(Source& source, std::string_view key, std::string_view value,
         Settings& settings) noexcept {
  constexpr std::string_view kOnFullWords[] = {"flush", "drop", "overwrite"};
  constexpr std::string_view kClockWords[] = {"auto", "tsc", "monotonic"};
  constexpr std::string_view kRingsWords[] = {"auto", "shm", "capture"};
  constexpr std::string_view kStarpuWords[] = {"tasks", "all"};
  constexpr std::string_view kOpenclWords[] = {"auto", "on", "off"};
  if (key == "out") return set_path(source, key, value, settings.out);
  if (key == "dir") return set_path(source, key, value, settings.dir);
  if (key == "log") return set_path(source, key, value, settings.log);
  if (key == "ring") {
    set_size(source, key, value, kMinRingBytes, kMaxRingBytes, settings.ring_bytes);
    settings.ring_bytes = std::bit_ceil(settings.ring_bytes);
    return;
  }
  if (key == "memory") {
    return set_size(source, key, value, kMinRingBytes, UINT64_MAX, settings.memory_bytes);
  }
  if (key == "on_full") return set_choice(source, key, value, kOnFullWords, settings.on_full);
  if (key == "clock") return set_choice(source, key, value, kClockWords, settings.clock);
  if (key == "rings") return set_choice(source, key, value, kRingsWords, settings.rings);
  if (key == "format") return set_format(source, value, settings);
  if (key == "max_events") return set_count(source, key, value, settings.max_events);
  if (key == "max_bytes") return set_limit_bytes(source, key, value, settings.max_bytes);
  if (key == "deps") return set_count(source, key, value, settings.deps);
  if (key == "starpu") return set_choice(source, key, value, kStarpuWords, settings.starpu);
  if (key == "cuda") return set_cuda(source, key, value, settings.cuda);
  if (key == "nvtx") return set_bool(source, key, value, settings.nvtx);
  if (key == "opencl") return set_choice(source, key, value, kOpenclWords, settings.opencl);
  if (key == "keep") return set_bool(source, key, value, settings.keep);
  if (key == "paused") return set_bool(source, key, value, settings.paused);
  if (key == "follow_fork") return set_bool(source, key, value, settings.follow_fork);
  if (key == "export") return set_bool(source, key, value, settings.export_at_end);
  if (key == "quiet") return set_bool(source, key, value, settings.quiet);
  if (key == "ranks") return set_ranks(source, value, settings);
  if (key == "test_clock") return set_test_clock(source, value, settings);
  complain_of_key(source, key);
}

/// The key of a "key=value" item, empty if the item is something else.
std::string_view key_of(std::string_view item) noexcept {
  size_t length = 0;
  while (length < item.size() &&
         ((item[length] >= 'a' && item[length] <= 'z') || item[length] == '_')) {
    ++length;
  }
  const bool is_setting = length > 0 && length < item.size() && item[length] == '=';
  return is_setting ? item.substr(0, length) : std::string_view();
}

std::string_view file_name(std::string_view path) noexcept {
  return path.substr(path.rfind('/') + 1);
}

/// Any way of writing it counts: the loader may have found the file under another directory.
bool is_own_library(std::string_view item, const char* own_path) noexcept {
  if (file_name(item).starts_with("libperseid.so")) return true;
  return own_path && file_name(item) == file_name(own_path);
}

const SettingInfo* find_key(std::string_view word) noexcept {
  const auto found = std::ranges::find_if(kTable, [&](const auto& row) { return word == row.key; });
  return found == std::end(kTable) ? nullptr : found;
}

void complain_of_bare_key(Source& source, std::string_view key) noexcept {
  char sentence[512];
  TextBuffer text(sentence);
  text.add(source.name).add(": ").add(key).add(" needs a value, such as ").add(key).add('=');
  text.add(key == "ring" || key == "memory" ? "4M"
           : key == "max_bytes"             ? "500M"
           : key == "max_events"            ? "1000000"
           : key == "format"                ? "pftrace"
           : key == "on_full"               ? "drop"
           : key == "clock"                 ? "tsc"
           : key == "rings"                 ? "shm"
           : key == "deps"                  ? "all"
           : key == "starpu"                ? "tasks"
           : key == "opencl"                ? "on"
           : key == "ranks"                 ? "every:64"
           : key == "test_clock"            ? "0/0"
           : key == "out"                   ? "run.json"
           : key == "dir" || key == "log"   ? "/tmp/perseid"
                                            : "1");
  source.say(sentence);
}

void read_item(Source& source, std::string_view item, const char* own_path, Settings& settings,
               Switch& explicit_switch) noexcept {
  if (item.empty()) return;
  if (const Switch parsed = as_switch(item); parsed != Switch::kNone) {
    explicit_switch = parsed;
  } else if (is_own_library(item, own_path)) {
    explicit_switch = Switch::kOn;
  } else if (const std::string_view key = key_of(item); !key.empty()) {
    set(source, key, item.substr(key.size() + 1), settings);
  } else if (find_key(item)) {
    complain_of_bare_key(source, item);
  } else {
    set_path(source, "out", item, settings.out);
  }
}

/// Takes the next item off `rest`, without its escapes, into `buffer`.
std::string_view next_item(const char*& rest, char* buffer, size_t size) noexcept {
  TextBuffer item(buffer, size);
  while (*rest && *rest != ',') {
    if (*rest == '\\' && (rest[1] == ',' || rest[1] == '\\')) ++rest;
    item.add(*rest++);
  }
  if (*rest == ',') ++rest;
  return item.view();
}

/// ranks=0,4-7: behind `ranks=` a number is a rank and no switch.
bool continue_ranks(std::string_view item, Settings& settings) noexcept {
  if (!is_rank_selection(item)) return false;
  char whole[2 * sizeof settings.ranks];
  TextBuffer text(whole);
  text.add(settings.ranks).add(',').add(item);
  if (text.view().size() >= sizeof settings.ranks) return false;
  TextBuffer(settings.ranks).add(text.view());
  return true;
}

void read_variable(Source& source, const char* value, const char* own_path,
                   Settings& settings) noexcept {
  if (!value || !*value) return;
  Switch explicit_switch = Switch::kNone;
  // Room for a path that is too long, so that it is seen to be.
  char item[PATH_MAX + 64];
  bool is_in_ranks = false;
  while (*value) {
    const std::string_view read = next_item(value, item, sizeof item);
    is_in_ranks = is_in_ranks ? continue_ranks(read, settings) : read.starts_with("ranks=");
    if (is_in_ranks && !read.starts_with("ranks=")) continue;
    read_item(source, read, own_path, settings, explicit_switch);
  }
  settings.is_on = explicit_switch != Switch::kOff;
}

void fit_memory_to_ring(Source& source, Settings& settings) noexcept {
  if (settings.memory_bytes >= settings.ring_bytes) return;
  char sentence[512];
  TextBuffer text(sentence);
  text.add(source.name).add(": memory=");
  add_size(text, settings.memory_bytes);
  text.add(" has no room for one ring of ");
  add_size(text, settings.ring_bytes);
  text.add("; using memory=");
  add_size(text, settings.ring_bytes);
  settings.memory_bytes = settings.ring_bytes;
  source.say(sentence);
}

}  // namespace

std::span<const SettingInfo> setting_table() noexcept { return kTable; }

void read_settings(const char* starpu_trace_plugin, const char* perseid, const char* own_path,
                   Settings& settings, Complain complain, void* context) noexcept {
  Source starpu_source{"STARPU_TRACE_PLUGIN", complain, context};
  Source perseid_source{"PERSEID", complain, context};
  read_variable(starpu_source, starpu_trace_plugin, own_path, settings);
  read_variable(perseid_source, perseid, own_path, settings);
  fit_memory_to_ring(perseid && *perseid ? perseid_source : starpu_source, settings);
}

bool read_setting(const char* key_and_value, Settings& settings, Complain complain,
                  void* context) noexcept {
  Source source{"--set", complain, context};
  const std::string_view item(key_and_value);
  const std::string_view key = key_of(item);
  if (!key.empty()) {
    set(source, key, item.substr(key.size() + 1), settings);
  } else if (find_key(item)) {
    complain_of_bare_key(source, item);
  } else {
    char sentence[512];
    TextBuffer text(sentence);
    text.add(source.name).add(": ").add_quoted(item).add(" is not key=value, such as keep=1");
    source.say(sentence);
  }
  return !source.has_complained;
}

}  // namespace perseid
