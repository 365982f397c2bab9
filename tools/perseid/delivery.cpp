// tools/perseid/delivery.cpp: one capture after the other; no failure stops the next.
#include "tools/perseid/delivery.h"

#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <map>
#include <set>

#include "capture/format.h"
#include "capture/recorder_life.h"
#include "timeline/export/export.h"
#include "timeline/export/merge_captures.h"
#include "timeline/export/timeline_name.h"
#include "timeline/export/viewer_limit.h"
#include "timeline/report/report_text.h"
#include "timeline/walk/job.h"
#include "timeline/walk/job_clocks.h"
#include "tools/perseid/capture_removal.h"
#include "tools/perseid/job_name.h"
#include "tools/perseid/message.h"
#include "tools/perseid/progress.h"

namespace perseid {
namespace {

/// Ready-made for the signal handler, which may only write.
char g_interrupted[8192];

void on_interrupt(int signal) {
  [[maybe_unused]] const ssize_t written =
      write(STDERR_FILENO, g_interrupted, std::strlen(g_interrupted));
  raise(signal);  // SA_RESETHAND: this time it ends us
}

/// While it exists, an interrupt prints how to export later.
class InterruptNote {
 public:
  explicit InterruptNote(const std::string& capture) {
    const std::string text =
        fmt::format("\nperseid: interrupted; write the timeline later with: perseid export {}\n",
                    shell_word(capture));
    const size_t length = std::min(text.size(), sizeof g_interrupted - 1);
    std::memcpy(g_interrupted, text.data(), length);
    g_interrupted[length] = '\0';
    struct sigaction action = {};
    action.sa_handler = on_interrupt;
    action.sa_flags = static_cast<int>(SA_RESETHAND | SA_NODEFER);
    sigaction(SIGINT, &action, &before_);
  }
  ~InterruptNote() { sigaction(SIGINT, &before_, nullptr); }
  InterruptNote(const InterruptNote&) = delete;
  InterruptNote& operator=(const InterruptNote&) = delete;

 private:
  struct sigaction before_;
};

/// The captures as words of a command; if there are many, the directory that has them all.
std::string as_words(const std::vector<std::string>& captures) {
  constexpr size_t kMaxWords = 8;
  const std::string directory = directory_of(captures.front());
  const bool is_common = std::ranges::all_of(
      captures, [&](const std::string& path) { return directory_of(path) == directory; });
  if (captures.size() > kMaxWords && is_common && !directory.empty()) {
    return " " + shell_word(directory);
  }
  std::string words;
  for (const std::string& capture : captures) words += " " + shell_word(capture);
  return words;
}

enum class Verbosity { kNormal, kQuiet };

/// Of an export or a merge, after the line that names its file.
template <class Report>
void print_report(const Report& of) {
  print_lines(report_text(of.answer, of.wanted_length, "perseid report " + shell_word(of.file)));
}

/// Written by this user, so that its manifest may choose where the timeline goes.
bool is_ours(const std::string& capture) {
  struct stat directory {};
  struct stat manifest {};
  return lstat(capture.c_str(), &directory) == 0 && S_ISDIR(directory.st_mode) &&
         lstat((capture + "/" + kManifestFile).c_str(), &manifest) == 0 &&
         S_ISREG(manifest.st_mode) && directory.st_uid == geteuid() && manifest.st_uid == geteuid();
}

void keep_for(const std::string& capture, const std::string& why) {
  print_message("{}", why);
  print_message("the capture is kept; solve the problem, then run: perseid export {}",
                shell_word(capture));
}

/// True if the capture has done its duty.
bool export_one(const std::string& capture, const Settings& settings, Verbosity verbosity) {
  const Result<ExportReport> report = [&] {
    const InterruptNote note(capture);
    const Progress progress;
    ExportOptions options;
    options.follows_manifest = is_ours(capture);
    options.progress = progress.callback();
    return export_capture(capture, options);
  }();
  if (!report) {
    keep_for(capture, report.error());
    return false;
  }
  const bool is_quiet = settings.quiet || verbosity == Verbosity::kQuiet;
  if (!is_quiet || report->losses.total() > 0) print_line(describe(*report));
  if (!is_quiet) print_report(*report);
  if (const std::string large = too_large_notice(*report, shell_word(capture));
      !large.empty() && !is_quiet) {
    print_line(large);
    return false;  // the capture is the only thing that can be used
  }
  if (report->damages > 0) {
    print_message("the capture is kept because it is damaged; for details: perseid check {}",
                  shell_word(capture));
    return false;
  }
  const Result<bool> is_whole = read_back(files_of(*report));
  if (!is_whole) keep_for(capture, is_whole.error());
  return static_cast<bool>(is_whole);
}

constexpr char kUnsure[] =
    "another machine or container may still have been recording it during the export";

/// Captures that may have been recorded when their export began, and why.
using Unsure = std::map<std::string, std::string>;

void remove_all(const std::vector<std::string>& captures, const Unsure& unsure) {
  size_t kept = 0;
  for (const std::string& capture : captures) {
    const auto why = unsure.find(capture);
    const Result<bool> removed =
        why == unsure.end() ? remove_capture(capture)
                            : Error{fmt::format("{} was not removed: {}", capture, why->second)};
    if (!removed && kept++ == 0) print_line(removed.error());
  }
  if (kept > 1) print_message("{} more were not removed", kept - 1);
}

void deliver_one(const std::string& capture, const Settings& settings, const Unsure& unsure) {
  if (!export_one(capture, settings, Verbosity::kNormal)) return;
  if (!settings.keep) {
    remove_all({capture}, unsure);
  } else if (!settings.quiet) {
    print_message("the capture is kept: {}", capture);
  }
}

bool is_rank(const std::string& capture) {
  const CaptureHead head = read_head(capture);
  return job_rank(head.manifest, head.state).is_known;
}

/// One line for the whole job, however many ranks it has.
void deliver_job(const std::vector<std::string>& captures, const Settings& settings,
                 bool is_one_file, const Unsure& unsure) {
  const std::string& first = captures.front();
  const Result<JoinReport> report = [&] {
    const InterruptNote note(first);
    const Progress progress;
    JoinOptions options;
    options.out = job_timeline(read_head(first));
    if (!is_ours(first)) {
      options.out = directory_of(first) + std::filesystem::path(options.out).filename().string();
      options.special = OutputFile::Special::kPassBy;
    }
    options.progress = progress.callback();
    return join_captures(captures, options);
  }();
  if (!report) {
    print_message("{}; the captures are kept, merge them with: perseid merge{}", report.error(),
                  as_words(captures));
    return;
  }
  if (!settings.quiet || report->losses.total() > 0) print_line(describe(*report));
  if (!settings.quiet) print_report(*report);
  for (const std::string& warning : warnings(*report)) print_line(warning);
  const Result<bool> is_whole = read_back({report->file});
  if (!is_whole) print_message("{}; the captures are kept", is_whole.error());
  std::vector<std::string> done;
  for (const std::string& capture : captures) {
    const bool is_done = is_one_file ? report->damages == 0 && report->unreadable.empty()
                                     : export_one(capture, settings, Verbosity::kQuiet);
    if (is_whole && is_done) done.push_back(capture);
  }
  if (!settings.keep) remove_all(done, unsure);
}

/// What is still being recorded, with the one command that makes its timeline.
void report_recorded(const std::vector<std::string>& captures, const Settings& settings) {
  if (settings.quiet) return;
  for (const std::string& capture : captures) {
    print_message(
        "{} is still being recorded; its process writes the timeline. If that is killed, run: "
        "perseid export {}",
        capture, shell_word(capture));
  }
}

void report_missing(const std::string& capture) {
  print_message(
      "no timeline: the capture {} was removed or renamed during the run; if renamed, run: "
      "perseid export NEW-NAME",
      capture);
}

void report_recorded_ranks(const std::vector<std::string>& recorded, size_t ranks,
                           const std::vector<std::string>& all, const Settings& settings) {
  if (settings.quiet) return;
  print_message(
      "{} of {} ranks are still being recorded, first {}; when they have ended, run: "
      "perseid merge{}",
      recorded.size(), ranks, recorded.front(), as_words(all));
}

}  // namespace

void deliver(const std::vector<AnnouncedCapture>& captures, const Settings& settings,
             bool is_one_file) {
  // Before the exports, which take their time: a process that outlives the run may deliver and
  // remove its capture meanwhile. One that came to its end has reported a missing one itself.
  for (const auto& [capture, is_done] : captures) {
    if (!is_done && access(capture.c_str(), F_OK) != 0) report_missing(capture);
  }
  std::vector<std::string> ranks, recorded, recorded_ranks;
  std::set<std::string> directories;
  Unsure unsure;
  for (const auto& [capture, is_done] : captures) {
    directories.insert(directory_of(capture));
    if (access(capture.c_str(), F_OK) != 0) continue;  // reported, or delivered by its process
    const RecorderLife life = is_done ? RecorderLife::kEnded : recorder_life(capture);
    // What may live on another machine becomes a timeline, too; its capture stays.
    if (life == RecorderLife::kUnknown) unsure.emplace(capture, kUnsure);
    if (life == RecorderLife::kAlive) {
      (is_rank(capture) ? recorded_ranks : recorded).push_back(capture);
    } else if (!settings.export_at_end) {
      if (!settings.quiet)
        print_message("recorded {}; write the timeline with: perseid export {}", capture,
                      shell_word(capture));
    } else if (is_rank(capture)) {
      ranks.push_back(capture);
    } else {
      deliver_one(capture, settings, unsure);
    }
  }
  // Those of ranks that have ended stay until all have: their one timeline is still to be made.
  Settings of_ranks = settings;
  of_ranks.keep = settings.keep || !recorded_ranks.empty();
  if (ranks.size() == 1) {
    deliver_one(ranks.front(), of_ranks, unsure);
  } else if (!ranks.empty()) {
    deliver_job(ranks, of_ranks, is_one_file, unsure);
  }
  report_recorded(recorded, settings);
  if (!recorded_ranks.empty()) {
    std::vector<std::string> all = ranks;
    all.insert(all.end(), recorded_ranks.begin(), recorded_ranks.end());
    report_recorded_ranks(recorded_ranks, all.size(), all, settings);
  }
  for (const std::string& directory : directories) remove_rests_in(directory);
}

}  // namespace perseid
