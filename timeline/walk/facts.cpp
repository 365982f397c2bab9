// timeline/walk/facts.cpp: the facts of a run, in the words that users see.
#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <cstring>
#include <iterator>
#include <optional>

#include "perseid_version.h"
#include "timeline/walk/walk.h"

namespace perseid {
namespace {

constexpr size_t kMaxDamagesListed = 20;

/// What becomes of an entry of the manifest. One that is not in the table is the run's.
struct ManifestKey {
  std::string_view key;
  std::optional<FactScope> scope;  // none: of no use to whoever gets the timeline
  std::string_view shown = {};     // "": as the manifest calls it
};
constexpr ManifestKey kManifestKeys[] = {
    {"version", FactScope::kRun, "recorder"},
    {"pid", FactScope::kRank},
    {"ppid", FactScope::kRank},
    {"host", FactScope::kRank},
    {"rank", FactScope::kRank},
    {"local_rank", FactScope::kRank},
    {"session", {}},
    {"rings", {}},
    {"out", {}},
    {"deps", {}},
    {"format", {}},
    {"report", {}},
    {"machine", {}},
    {"world", {}},
    {"time_limit", {}},
    {"boot_id", {}},
    {"pid_namespace", {}},
    {"start_time", {}},
};

void add_manifest(RunFacts& facts, const Manifest& manifest) {
  for (const auto& [key, value] : manifest.entries) {
    const auto* const known =
        std::ranges::find(kManifestKeys, std::string_view(key), &ManifestKey::key);
    if (known == std::end(kManifestKeys)) {
      facts.emplace_back(key, value, FactScope::kRun);
    } else if (known->scope) {
      facts.emplace_back(known->shown.empty() ? key : std::string(known->shown), value,
                         *known->scope);
    }
  }
}

std::string signal_name(uint32_t number) {
  const char* const name = sigabbrev_np(static_cast<int>(number));
  return name != nullptr ? fmt::format("SIG{}", name) : fmt::format("signal {}", number);
}

/// The batch system announced when it would end the job; the last record shows when it was.
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
  // Captures that know their machine and are read elsewhere: nobody can find out from there.
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
  facts.emplace_back("clock_compared", std::string(name_of(clock.source())), FactScope::kRank);
  if (clock.source() == ClockSource::kRealtime) {
    facts.emplace_back("clock_error", "unknown: that of CLOCK_REALTIME", FactScope::kRank);
  } else {
    facts.emplace_back("clock_error_ns", std::to_string(clock.error_ns()), FactScope::kRank);
  }
}

}  // namespace

RunFacts gather_facts(Capture& capture, const WalkReport& report) {
  RunFacts facts;
  facts.emplace_back("perseid", PERSEID_VERSION, FactScope::kRun);
  add_manifest(facts, capture.manifest());
  facts.emplace_back("end", describe_end(capture), FactScope::kRank);
  const auto number = [&](const char* key, uint64_t value, bool always) {
    if (always || value > 0) facts.emplace_back(key, std::to_string(value), FactScope::kSum);
  };
  add_clock(facts, report.clock);
  const auto threads = std::ranges::count_if(capture.streams(), [](const StreamSource& stream) {
    return stream.role != StreamRole::kRecorder;
  });
  number("threads", static_cast<uint64_t>(threads), true);
  number("records", report.records, true);
  number("lost", report.lost, true);
  number("damages", capture.damages().count(), true);
  const Losses losses = losses_of(capture, report);
  if (losses.overwritten_bytes > 0)
    facts.emplace_back("kept", describe_kept(losses), FactScope::kRank);
  number("overwritten_bytes", report.overwritten_bytes, false);
  number("unreadable_bytes", report.unreadable_bytes, false);
  number("short_records", report.short_records, false);
  number("nested", capture.state().nested, false);
  number("names_lost", capture.state().names_lost, false);
  number("spool_errors", capture.state().spool_errors, false);
  if (capture.state().spool_errors > 0) {
    facts.emplace_back("last_spool_error", std::strerror(capture.state().last_errno),
                       FactScope::kRank);
  }
  facts.insert(facts.end(), report.notes.begin(), report.notes.end());
  number("flows_without_source", report.unmatched_flows, false);
  number("ends_without_begin", report.orphan_ends, false);
  size_t listed = 0;
  for (const Damage& damage : capture.damages().items()) {
    if (++listed > kMaxDamagesListed) break;
    facts.emplace_back(fmt::format("damage_{}", listed), damage.text, FactScope::kRank);
  }
  return facts;
}

}  // namespace perseid
