// tools/perseid/merge.cpp: `perseid merge`, one timeline of all ranks.
#include <algorithm>
#include <filesystem>

#include "capture/format.h"
#include "timeline/export/merge_captures.h"
#include "timeline/report/report_text.h"
#include "tools/perseid/capture_removal.h"
#include "tools/perseid/job_name.h"
#include "tools/perseid/message.h"
#include "tools/perseid/progress.h"
#include "tools/perseid/verb.h"

namespace perseid {
namespace {

constexpr OptionInfo kOptions[] = {
    {'o', "out", "FILE", "write to this .json or .pftrace file, or .gz of it"},
    {'r', "remove", nullptr, "remove the captures after a successful merge"},
    {'q', "quiet", nullptr, "print errors only"},
};

namespace fs = std::filesystem;

bool is_capture(const fs::path& path) {
  std::error_code error;
  const fs::path name = path.has_filename() ? path : path.parent_path();
  return fs::is_directory(path, error) && !is_half_removed(path) &&
         (name.extension() == kCaptureSuffix || fs::exists(path / kManifestFile, error));
}

/// Captures in a directory and below it: large jobs fan theirs out.
void add_captures_below(const fs::path& directory, std::vector<std::string>& captures) {
  std::error_code error;
  for (auto entry = fs::recursive_directory_iterator(
           directory, fs::directory_options::skip_permission_denied, error);
       !error && entry != fs::recursive_directory_iterator(); entry.increment(error)) {
    if (is_half_removed(entry->path())) entry.disable_recursion_pending();
    if (!is_capture(entry->path())) continue;
    captures.push_back(entry->path().string());
    entry.disable_recursion_pending();
  }
}

struct Inputs {
  std::vector<std::string> captures;
  std::vector<std::string> timelines;
};

Result<Inputs> sort_out(const std::vector<std::string>& operands) {
  Inputs inputs;
  for (const std::string& operand : operands) {
    std::error_code error;
    if (is_capture(operand)) {
      inputs.captures.push_back(operand);
    } else if (fs::is_directory(operand, error)) {
      const size_t before = inputs.captures.size();
      add_captures_below(operand, inputs.captures);
      if (inputs.captures.size() == before) {
        return Error{fmt::format("there are no captures in {}", operand)};
      }
    } else if (fs::exists(operand, error)) {
      inputs.timelines.push_back(operand);
    } else {
      return Error{fmt::format("cannot open {}: no such file", operand)};
    }
  }
  if (!inputs.captures.empty() && !inputs.timelines.empty()) {
    return Error{fmt::format("{} is a timeline and {} a capture: merge one kind at a time",
                             inputs.timelines.front(), inputs.captures.front())};
  }
  return inputs;
}

/// In the directory where we are: the captures may be on another machine's disk.
std::string default_name(const Inputs& inputs) {
  if (!inputs.timelines.empty()) {
    const std::string& first = inputs.timelines.front();
    const bool is_protobuf = first.ends_with(".pftrace") || first.ends_with(".pftrace.gz");
    return is_protobuf ? "perseid-merged.pftrace" : "perseid-merged.json";
  }
  const std::string first = *std::ranges::min_element(inputs.captures);
  return fs::path(job_timeline(read_head(first))).filename().string();
}

std::string within_directory(const std::string& out, const Inputs& inputs) {
  std::error_code error;
  return fs::is_directory(out, error) ? (fs::path(out) / default_name(inputs)).string() : out;
}

int run_merge(const Arguments& arguments) {
  if (arguments.operands.empty()) {
    return refuse_call(kMergeVerb, "merge needs captures, directories with captures, or timelines");
  }
  const Result<Inputs> inputs = sort_out(arguments.operands);
  if (!inputs) {
    print_line(inputs.error());
    return kExitUsage;
  }
  std::vector<std::string> whys;
  for (const std::string& capture : inputs->captures) whys.push_back(why_recorded(capture));
  const Result<JoinReport> report = [&] {
    const Progress progress;
    JoinOptions options;
    options.out = arguments.has("out") ? within_directory(arguments.value("out"), *inputs)
                                       : default_name(*inputs);
    if (!arguments.has("out")) options.special = OutputFile::Special::kPassBy;
    options.progress = progress.callback();
    return inputs->captures.empty() ? join_timelines(inputs->timelines, options)
                                    : join_captures(inputs->captures, options);
  }();
  if (!report) {
    print_line(report.error());
    return kExitUsage;
  }
  if (!arguments.has("quiet")) {
    print_line(describe(*report));
    print_lines(report_text(report->answer, report->wanted_length,
                            "perseid report " + shell_word(report->file)));
  }
  for (const std::string& warning : warnings(*report)) print_line(warning);
  if (!arguments.has("remove")) return report->unreadable.empty() ? 0 : 1;
  if (report->damages > 0 || !report->unreadable.empty()) {
    print_message("the captures are kept because some are damaged");
    return 1;
  }
  if (const Result<bool> is_whole = read_back({report->file}); !is_whole) {
    print_message("{}; the captures are kept", is_whole.error());
    return 1;
  }
  int status = 0;
  for (size_t i = 0; i < inputs->captures.size(); ++i) {
    const std::string& capture = inputs->captures[i];
    const Result<bool> removed =
        whys[i].empty() ? remove_capture(capture)
                        : Error{fmt::format("{} was not removed: {}", capture, whys[i])};
    if (removed) continue;
    print_line(removed.error());
    status = 1;
  }
  return status;
}

}  // namespace

const Verb kMergeVerb = {
    "merge",
    "CAPTURE|DIRECTORY|TIMELINE...",
    "merge all ranks of a job into one timeline",
    "Takes captures, or directories that contain them, and aligns their clocks: as measured\n"
    "over MPI, otherwise by the wall clock. Arrows connect sends to receives. Timelines that\n"
    "were already exported are joined unchanged, .json with .json and .pftrace with .pftrace,\n"
    "each also .gz. Without -o the timeline is named after the job. Existing files are kept.\n"
    "\n"
    "exit status: 0 if all ranks were merged, 1 if a capture could not be read or removed,\n"
    "2 if no timeline was written\n",
    kOptions,
    false,
    run_merge};

}  // namespace perseid
