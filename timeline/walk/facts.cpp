// timeline/walk/facts.cpp: the facts of a run, in the words that users see.
#include <fmt/format.h>

#include <csignal>
#include <cstring>

#include "perseid_version.h"
#include "timeline/walk/walk.h"

namespace perseid {
namespace {

constexpr size_t kMaxDamagesTold = 20;
/// Where the capture lay is of no use to whoever gets the timeline.
constexpr std::string_view kPrivateKeys[] = {"rings",   "out",           "session",   "deps",
                                             "format",  "machine",       "world",     "time_limit",
                                             "boot_id", "pid_namespace", "start_time"};

bool is_private(std::string_view key) {
  for (const std::string_view hidden : kPrivateKeys) {
    if (key == hidden) return true;
  }
  return false;
}

}  // namespace

namespace {

std::string signal_name(uint32_t number) {
  const char* const name = sigabbrev_np(static_cast<int>(number));
  return name != nullptr ? fmt::format("SIG{}", name) : fmt::format("signal {}", number);
}

/// The batch system said beforehand when it would end the job; the last record says when it was.
bool has_reached_limit(const Capture& capture) {
  constexpr int64_t kNearNs = 5'000'000'000;
  const auto limit_s = static_cast<int64_t>(capture.manifest().get_number("time_limit"));
  if (limit_s == 0 || capture.anchors().empty()) return false;
  return capture.anchors().back().real_ns >= limit_s * 1'000'000'000 - kNearNs;
}

}  // namespace

std::string describe_end(const Capture& capture) {
  const char* const limit = has_reached_limit(capture) ? " at the job's time limit" : "";
  switch (capture.state().end) {
    case SessionEnd::kFinished:
      return "finished";
    case SessionEnd::kSignal:
      return fmt::format("signal {} ({}){}", capture.state().end_signal,
                         signal_name(capture.state().end_signal), limit);
    case SessionEnd::kRunning:
      break;
  }
  if (capture.is_live()) return "still running";
  // Captures that know their machine and are read elsewhere: nobody can tell from there.
  const bool is_of_another_place =
      capture.life() == RecorderLife::kUnknown && !capture.manifest().get("boot_id").empty();
  if (is_of_another_place) {
    return fmt::format("killed{}, or still running on {}", limit, capture.manifest().get("host"));
  }
  return fmt::format("killed{}", limit);
}

namespace {

/// Only for ranks of a job: elsewhere there is nothing to agree with.
void add_clock(RunFacts& facts, const ClockLine& clock) {
  if (clock.source() == ClockSource::kAlone) return;
  facts.emplace_back("clock_compared", name_of(clock.source()));
  if (clock.source() == ClockSource::kRealtime) {
    facts.emplace_back("clock_error", "unknown: that of CLOCK_REALTIME");
  } else {
    facts.emplace_back("clock_error_ns", std::to_string(clock.error_ns()));
  }
}

}  // namespace

RunFacts gather_facts(Capture& capture, const WalkReport& report) {
  RunFacts facts;
  facts.emplace_back("perseid", PERSEID_VERSION);
  for (const auto& [key, value] : capture.manifest().entries) {
    if (!is_private(key)) facts.emplace_back(key == "version" ? "recorder" : key, value);
  }
  facts.emplace_back("end", describe_end(capture));
  const auto number = [&](const char* key, uint64_t value, bool always) {
    if (always || value > 0) facts.emplace_back(key, std::to_string(value));
  };
  add_clock(facts, report.clock);
  number("threads", capture.streams().size(), true);
  number("records", report.records, true);
  number("lost", report.lost, true);
  number("damages", capture.damages().count(), true);
  const Losses losses = losses_of(capture, report);
  if (losses.overwritten_bytes > 0) facts.emplace_back("kept", describe_kept(losses));
  number("overwritten_bytes", report.overwritten_bytes, false);
  number("unreadable_bytes", report.unreadable_bytes, false);
  number("short_records", report.short_records, false);
  number("nested", capture.state().nested, false);
  number("names_lost", capture.state().names_lost, false);
  number("spool_errors", capture.state().spool_errors, false);
  if (capture.state().spool_errors > 0) {
    facts.emplace_back("last_spool_error", std::strerror(capture.state().last_errno));
  }
  facts.insert(facts.end(), report.notes.begin(), report.notes.end());
  number("flows_without_source", report.unmatched_flows, false);
  number("ends_without_begin", report.orphan_ends, false);
  size_t told = 0;
  for (const Damage& damage : capture.damages().items()) {
    if (++told > kMaxDamagesTold) break;
    facts.emplace_back(fmt::format("damage_{}", told), damage.text);
  }
  return facts;
}

}  // namespace perseid
