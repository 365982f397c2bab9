// tools/perseid/delivery.cpp: one capture after the other; no failure stops the next.
#include "tools/perseid/delivery.h"

#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

#include "timeline/export.h"
#include "timeline/job.h"
#include "timeline/job_clocks.h"
#include "timeline/join.h"
#include "timeline/viewer_limit.h"
#include "tools/perseid/capture_removal.h"
#include "tools/perseid/job_name.h"
#include "tools/perseid/live_process.h"
#include "tools/perseid/message.h"
#include "tools/perseid/progress.h"

namespace perseid {
namespace {

/// Ready-made for the signal handler, which may only write.
char g_interrupted[8192];

void on_interrupt(int signal) {
  [[maybe_unused]] const ssize_t told =
      write(STDERR_FILENO, g_interrupted, std::strlen(g_interrupted));
  raise(signal);  // SA_RESETHAND: this time it ends us
}

/// While it lives, an impatient user learns that nothing is lost.
class InterruptNote {
 public:
  explicit InterruptNote(const std::string& capture) {
    const std::string text =
        fmt::format("\nperseid: interrupted; later, `perseid export {}` writes the timeline\n",
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

enum class Voice { kUsual, kQuiet };

/// True if the capture has done its duty.
bool export_one(const std::string& capture, const Settings& settings, Voice voice) {
  const Result<ExportReport> report = [&] {
    const InterruptNote note(capture);
    const Progress progress;
    return export_capture(capture, {.out = "", .progress = progress.callback()});
  }();
  if (!report) {
    say("{}", report.error());
    say("the capture is kept; when the cause is gone, `perseid export {}` writes the timeline",
        shell_word(capture));
    return false;
  }
  const bool is_quiet = settings.quiet || voice == Voice::kQuiet;
  if (!is_quiet || report->lost > 0) say_line(describe(*report));
  if (const std::string large = too_large_notice(*report, shell_word(capture));
      !large.empty() && !is_quiet) {
    say_line(large);
    return false;  // the capture is the only thing that can be used
  }
  if (report->damages == 0) return true;
  say("the capture is kept, for it is damaged; `perseid check {}` names where",
      shell_word(capture));
  return false;
}

void remove_unless_kept(const std::string& capture, const Settings& settings) {
  if (settings.keep) {
    if (!settings.quiet) say("the capture is kept: {}", capture);
  } else if (const auto removed = remove_capture(capture); !removed) {
    say_line(removed.error());
  }
}

void deliver_one(const std::string& capture, const Settings& settings) {
  if (export_one(capture, settings, Voice::kUsual)) remove_unless_kept(capture, settings);
}

bool is_rank(const std::string& capture) {
  const CaptureHead head = read_head(capture);
  return job_rank(head.manifest, head.state).is_known;
}

/// One line for the whole job, however many ranks it has.
void deliver_job(const std::vector<std::string>& captures, const Settings& settings,
                 bool is_one_file) {
  const Result<JoinReport> report = [&] {
    const InterruptNote note(captures.front());
    const Progress progress;
    return join_captures(captures, {.out = job_timeline(read_head(captures.front())),
                                    .progress = progress.callback()});
  }();
  if (!report) {
    say("{}; the captures are kept, `perseid merge` takes them", report.error());
    return;
  }
  if (!settings.quiet || report->lost > 0) say_line(describe(*report));
  for (const std::string& warning : warnings(*report)) say_line(warning);
  for (const std::string& capture : captures) {
    const bool is_done = is_one_file ? report->damages == 0 && report->unreadable.empty()
                                     : export_one(capture, settings, Voice::kQuiet);
    if (is_done && !settings.keep) remove_unless_kept(capture, settings);
  }
}

}  // namespace

void deliver(const std::vector<AnnouncedCapture>& captures, const Settings& settings,
             bool is_one_file) {
  std::vector<std::string> ranks;
  for (const auto& [capture, is_done] : captures) {
    if (access(capture.c_str(), F_OK) != 0) continue;  // the program removed it
    if (!is_done && is_being_recorded(capture)) {
      if (!settings.quiet) say("{} is still being recorded and left to its process", capture);
    } else if (!settings.export_at_end) {
      if (!settings.quiet)
        say("recorded {}; `perseid export {}` writes the timeline", capture, shell_word(capture));
    } else if (is_rank(capture)) {
      ranks.push_back(capture);
    } else {
      deliver_one(capture, settings);
    }
  }
  if (ranks.size() == 1) {
    deliver_one(ranks.front(), settings);
  } else if (!ranks.empty()) {
    deliver_job(ranks, settings, is_one_file);
  }
}

}  // namespace perseid
