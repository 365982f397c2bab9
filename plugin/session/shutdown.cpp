// plugin/session/shutdown.cpp: from a drained session to the user's file. The one place where the
// recording half calls the reading half.
#include <unistd.h>

#include <cstring>
#include <exception>
#include <string>

#include "plugin/record/clock.h"
#include "plugin/session/export_progress.h"
#include "plugin/session/message.h"
#include "plugin/session/session.h"
#include "plugin/settings/fixed_text.h"
#include "plugin/settings/run_registry.h"
#include "timeline/export/export.h"
#include "timeline/export/viewer_limit.h"
#include "timeline/report/report_text.h"

namespace perseid {

namespace {

void print_export_command(const Session& s, const char* why) noexcept {
  FixedText<2 * PATH_MAX> line;
  line << why << "; the capture is kept, write the timeline with: perseid export " << s.capture;
  warn(line.c_str());
}

/// Somebody removed or moved the capture while the program ran. True if it is where it was made.
bool is_capture_in_place(Session& s) noexcept {
  if (s.directory.is_in_place()) return true;
  s.pool.remove_files(false);
  FixedText<2 * PATH_MAX> line;
  line << "no timeline: the capture " << s.capture
       << " was removed or renamed during the run; if renamed, run: perseid export NEW-NAME";
  warn(line.c_str());
  return false;
}

/// The timeline is there: the capture has done its duty. It is hidden before it is taken apart, as
/// tools/perseid/capture_removal.h does: other processes see it whole or not at all.
void remove_capture(Session& s) noexcept {
  s.pool.remove_files(false);
  const char* const name = std::strrchr(s.capture, '/') + 1;
  PathText hidden;
  hidden.add({s.capture, static_cast<size_t>(name - s.capture)});
  hidden << '.' << name << ".removing";
  const bool is_hidden = s.directory.is_in_place() && rename(s.capture, hidden.c_str()) == 0;
  for (const char* file :
       {kStateFile, kStringsFile, kSpoolFile, kTopologyFile, kModulesFile, kManifestFile})
    s.directory.remove_file(file);
  if (is_hidden)
    rmdir(hidden.c_str());
  else
    s.directory.remove();
}

void write_timeline(Session& s) {
  ExportOptions options;
  options.out = s.out;
  options.formats = g_origin.settings.format;
  options.may_load_libraries = s.end_signal.load() == 0;
  ExportProgress progress(read_clock_ns(CLOCK_MONOTONIC));
  options.progress = [&](double share) {
    s.drainer.heartbeat.fetch_add(1);
    progress.print(share, read_clock_ns(CLOCK_MONOTONIC));
  };
  const Result<ExportReport> report = export_capture(s.capture, options);
  if (!report) {
    print_export_command(s, report.error().c_str());
    return;
  }
  print_message(describe(*report).c_str());
  print_lines(
      report_text(report->answer, report->wanted_length, "perseid report " + report->file).c_str());
  if (report->damages > 0) {
    print_export_command(s, "parts of the capture are damaged");
  } else if (const std::string notice = too_large_notice(*report, s.capture); !notice.empty()) {
    print_message(notice.c_str());  // and the capture stays: it is the only thing that can be used
  } else if (!g_origin.settings.keep) {
    remove_capture(s);
  }
}

}  // namespace

void deliver(Session& s) noexcept {
  s.state_file.anchor(true);
  s.state_file.mirror_counts();
  const uint32_t signal = s.end_signal.load();
  s.state_file.set(&StateHeader::end_signal, signal);
  s.state_file.set(&StateHeader::end, signal ? SessionEnd::kSignal : SessionEnd::kFinished);
  s.pool.remove_files(true);
  s.spool.close_file();
  // Nothing may leave through the C boundary, whatever the reading half runs into.
  try {
    const bool is_taken =
        g_origin.run_registry[0] && run_registry::hand_over(g_origin.run_registry, s.capture);
    if (!is_capture_in_place(s) || is_taken) {
      // Reported, and `perseid run` would find nothing either; or `perseid run` exports it.
    } else if (g_origin.settings.export_at_end) {
      write_timeline(s);
    } else {
      FixedText<2 * PATH_MAX> line;
      line << "capture " << s.capture << "; write the timeline with: perseid export " << s.capture;
      print_message(line.c_str());
    }
  } catch (const std::exception& error) {
    print_export_command(s, error.what());
  } catch (...) {
    print_export_command(s, "the timeline could not be written");
  }
  set_state(s, SessionState::kDone);
}

}  // namespace perseid
