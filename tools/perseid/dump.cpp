// tools/perseid/dump.cpp: `perseid dump`, the records of a capture as text.
#include "timeline/dump/dump.h"

#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <string>

#include "timeline/dump/dump_rows.h"
#include "tools/perseid/capture_removal.h"
#include "tools/perseid/message.h"
#include "tools/perseid/option_values.h"
#include "tools/perseid/verb.h"

namespace perseid {
namespace {

constexpr OptionInfo kOptions[] = {
    {'s', "stream", "N", "print this stream only; may be given again"},
    {'t', "thread", "PATTERN", "print threads with such names; may be given again"},
    {'k', "kind", "KINDS", "print these kinds: starpu.submit, or starpu for all; with , between"},
    {'\0', "from", "TIME", "skip earlier records; 1.5, 20ms or 3us after the start"},
    {'\0', "to", "TIME", "skip later records"},
    {'n', "count", "N", "stop after N lines"},
    {'r', "rows", nullptr, "print the rows of the model instead: tasks, steps, edges, ..."},
};
constexpr int kExitNotWritten = 1;

bool read_stream(const std::string& text, uint32_t& stream) {
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, stream);
  return error == std::errc() && stop == end;
}

/// "", or what is wrong with the call.
std::string read_options(const Arguments& arguments, DumpOptions& options) {
  for (const std::string& text : arguments.values("stream")) {
    uint32_t stream = 0;
    if (!read_stream(text, stream)) return "--stream takes a number";
    options.streams.push_back(stream);
  }
  options.threads = arguments.values("thread");
  for (const std::string& names : arguments.values("kind")) {
    const Result<std::vector<uint16_t>> kinds = parse_kinds(names);
    if (!kinds) return kinds.error();
    options.kinds.insert(options.kinds.end(), kinds->begin(), kinds->end());
  }
  const auto time = [&](const char* name, int64_t& to) {
    return !arguments.has(name) || read_time(arguments.value(name), to);
  };
  if (!time("from", options.from_ns)) return "--from takes a time such as 1.5, 20ms or 3us";
  if (!time("to", options.to_ns)) return "--to takes a time such as 1.5, 20ms or 3us";
  if (options.from_ns > options.to_ns) return "--from is later than --to";
  if (arguments.has("count") && !read_count(arguments.value("count"), options.max_lines)) {
    return "--count takes a number or all";
  }
  const bool selects_records = !options.streams.empty() || !options.threads.empty() ||
                               !options.kinds.empty() || arguments.has("from") ||
                               arguments.has("to");
  if (arguments.has("rows") && selects_records) return "--rows can be limited by --count only";
  return "";
}

int run_dump(const Arguments& arguments) {
  if (arguments.operands.size() != 1) {
    return refuse_call(kDumpVerb, "dump needs one capture, a directory named *.capture");
  }
  DumpOptions options;
  if (const std::string problem = read_options(arguments, options); !problem.empty()) {
    return refuse_call(kDumpVerb, problem);
  }
  const std::string& capture = arguments.operands.front();
  if (is_half_removed(capture)) {
    print_message("{} is half removed; `perseid export --remove {}` removes the rest", capture,
                  shell_word(capture));
    return kExitUsage;
  }
  int write_error = 0;
  uint64_t rows_left = options.max_lines;
  const bool prints_rows = arguments.has("rows");
  const LineWriter write = [&](std::string_view line) {
    if (prints_rows && rows_left-- == 0) return false;
    if (std::fwrite(line.data(), 1, line.size(), stdout) == line.size()) return true;
    write_error = errno;
    return false;
  };
  const Result<DumpReport> report =
      prints_rows ? dump_rows(capture, write) : dump_records(capture, options, write);
  if (!report) {
    print_line(report.error());
    return kExitUsage;
  }
  if (write_error == 0 && std::fflush(stdout) != 0) write_error = errno;
  if (write_error == EPIPE) return 0;  // `| head` has seen enough
  if (write_error != 0) {
    print_message("cannot write to standard output: {}", std::strerror(write_error));
    return kExitNotWritten;
  }
  if (report->damages > 0) {
    print_message("{} places are damaged; see `perseid check {}`", report->damages,
                  shell_word(capture));
  }
  return 0;
}

}  // namespace

const Verb kDumpVerb = {
    "dump",
    "CAPTURE",
    "prints the records of a capture as text",
    "One line for each record, in order of time: seconds since the start, number and name of the\n"
    "stream, kind, fields. docs/dev/capture-format.md lists the kinds and their fields. Bytes\n"
    "that cannot be read are printed as a hole, records that had no room as core.lost.\n"
    "\n"
    "With --rows: what the model makes of them, batch by batch, in nanoseconds since the start.\n"
    "\n"
    "  perseid dump -k starpu.submit,starpu.exec_begin -n 20 run.capture\n"
    "  perseid dump --rows run.capture | grep '^edge'\n"
    "\n"
    "exit status: 0 if all was printed, 1 if standard output failed, 2 if nothing can be read\n",
    kOptions,
    false,
    run_dump,
};

}  // namespace perseid
