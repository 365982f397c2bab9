// tools/perseid/delivery.cpp: one capture after the other; no failure stops the next.
#include "tools/perseid/delivery.h"

#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

#include "timeline/export.h"
#include "tools/perseid/capture_removal.h"
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

void remove_exported(const std::string& capture, const ExportReport& report) {
  if (report.damages > 0) {
    say("the capture is kept, for it is damaged; `perseid check {}` names where",
        shell_word(capture));
    return;
  }
  if (const auto removed = remove_capture(capture); !removed) say_line(removed.error());
}

void deliver_one(const std::string& capture, const Settings& settings) {
  const Result<ExportReport> report = [&] {
    const InterruptNote note(capture);
    const Progress progress;
    return export_capture(capture, {.out = "", .progress = progress.callback()});
  }();
  if (!report) {
    say("{}", report.error());
    say("the capture is kept; when the cause is gone, `perseid export {}` writes the timeline",
        shell_word(capture));
    return;
  }
  if (!settings.quiet || report->lost > 0) say_line(describe(*report));
  if (settings.keep) {
    if (!settings.quiet) say("the capture is kept: {}", capture);
  } else {
    remove_exported(capture, *report);
  }
}

}  // namespace

void deliver(const std::vector<AnnouncedCapture>& captures, const Settings& settings) {
  for (const auto& [capture, is_done] : captures) {
    if (access(capture.c_str(), F_OK) != 0) continue;  // the program removed it
    if (!is_done && is_being_recorded(capture)) {
      if (!settings.quiet) say("{} is still being recorded and left to its process", capture);
    } else if (!settings.export_at_end) {
      if (!settings.quiet)
        say("recorded {}; `perseid export {}` writes the timeline", capture, shell_word(capture));
    } else {
      deliver_one(capture, settings);
    }
  }
}

}  // namespace perseid
