// plugin/settings/settings.h: the settings in STARPU_TRACE_PLUGIN and PERSEID. No allocation: the
// host's processes read them too, and so does the command line, which lists and checks them.
#pragma once

#include <climits>
#include <cstddef>
#include <cstdint>
#include <span>

#include "capture/format.h"

namespace perseid {

enum class ClockChoice : uint8_t { kAuto, kTsc, kMonotonic };
enum class RingPlace : uint8_t { kAuto, kShm, kCapture };
enum class StarpuDetail : uint8_t { kTasks, kAll };
enum class CudaChoice : uint8_t { kOff, kOn, kGraphs };
enum class OpenclChoice : uint8_t { kAuto, kOn, kOff };
enum class ReportChoice : uint8_t { kOff, kShort, kFull };

struct Settings {
  bool is_on = false;
  OnFull on_full = OnFull::kFlush;
  ClockChoice clock = ClockChoice::kAuto;
  RingPlace rings = RingPlace::kAuto;
  StarpuDetail starpu = StarpuDetail::kAll;
  OpenclChoice opencl = OpenclChoice::kAuto;
  CudaChoice cuda = CudaChoice::kOn;
  ReportChoice report = ReportChoice::kShort;
  bool nvtx = false;
  bool openmp = true;
  bool mpi = true;
  uint64_t ring_bytes = 1024 * 1024;             // a power of two
  uint64_t memory_bytes = 512ull * 1024 * 1024;  // all rings together
  uint64_t deps = 100'000;                       // arrows; UINT64_MAX: all
  uint64_t max_events = UINT64_MAX;              // of a timeline; UINT64_MAX: no limit
  uint64_t max_bytes = UINT64_MAX;               // the same
  bool keep = false;
  bool paused = false;
  bool follow_fork = true;
  bool export_at_end = true;
  bool quiet = false;
  char format[64] = "";     // names with + between them; "": what `out` is called
  char ranks[512] = "";     // "": all; see rank_selection.h
  char out[PATH_MAX] = "";  // pattern; "": the default one
  char dir[PATH_MAX] = "";  // "": next to the timeline
  char log[PATH_MAX] = "";  // "": stderr
};

struct GivenSetting;

/// One row of the table that `perseid env` prints and docs/user/environment.md repeats.
struct SettingInfo {
  const char* key;
  const char* values;
  const char* fallback;  // the default, as a user would write it
  const char* meaning;
  const char* example;
  void (*set)(const GivenSetting& given, Settings& to) noexcept;
};
std::span<const SettingInfo> setting_table() noexcept;

/// Receives one finished sentence for each unknown key or bad value. Null: nothing is reported.
using ReportProblem = void (*)(void* context, const char* sentence);

/// Reads both variables (null: unset) over `settings`. PERSEID is read last and wins.
/// `own_path` is the library's file: a value equal to it means "on". May be null.
void read_settings(const char* starpu_trace_plugin, const char* perseid, const char* own_path,
                   Settings& settings, ReportProblem report_problem, void* context) noexcept;

/// Reads one "key=value" as `perseid run --set` takes it. False if it was complained about.
bool read_setting(const char* key_and_value, Settings& settings, ReportProblem report_problem,
                  void* context) noexcept;

}  // namespace perseid
