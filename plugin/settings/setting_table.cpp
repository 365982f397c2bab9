// plugin/settings/setting_table.cpp: all settings, one row each.
#include <bit>

#include "plugin/settings/rank_selection.h"
#include "plugin/settings/setting_values.h"
#include "plugin/settings/settings.h"
#include "plugin/settings/timeline_formats.h"

namespace perseid {
namespace {

/// Less would not hold the names of a large machine's lanes.
constexpr uint64_t kMinTimelineBytes = 1024 * 1024;

constexpr std::string_view kOnFullWords[] = {"flush", "drop", "overwrite"};
constexpr std::string_view kClockWords[] = {"auto", "tsc", "monotonic"};
constexpr std::string_view kRingsWords[] = {"auto", "shm", "capture"};
constexpr std::string_view kStarpuWords[] = {"tasks", "all"};
constexpr std::string_view kOpenclWords[] = {"auto", "on", "off"};
constexpr std::string_view kReportWords[] = {"off", "short", "full"};
constexpr std::string_view kCudaWords[] = {"0", "1", "graphs"};

void set_ring(const GivenSetting& given, Settings& to) noexcept {
  set_size(given, kMinRingBytes, kMaxRingBytes, to.ring_bytes);
  to.ring_bytes = std::bit_ceil(to.ring_bytes);
}

void set_format(const GivenSetting& given, Settings& to) noexcept {
  if (given.value.size() < sizeof to.format && are_formats(given.value)) {
    TextBuffer(to.format).add(given.value);
    return;
  }
  ValueProblem problem(given);
  TextBuffer& text = problem.text().add(" is not one of ");
  for (size_t i = 0; i < std::size(kFormats); ++i) text.add(i == 0 ? "" : ", ").add(kFormats[i]);
  text.add(", or several joined with +; using ");
  text.add(to.format[0] ? to.format : "the format that the file name implies");
}

void set_cuda(const GivenSetting& given, Settings& to) noexcept {
  const SwitchWord parsed = as_switch(given.value);
  if (parsed == SwitchWord::kNone) return set_choice(given, kCudaWords, to.cuda);
  to.cuda = parsed == SwitchWord::kOn ? CudaChoice::kOn : CudaChoice::kOff;
}

void set_ranks(const GivenSetting& given, Settings& to) noexcept {
  if (equals_ignoring_case(given.value, "all") || given.value.empty()) {
    to.ranks[0] = '\0';
  } else if (given.value.size() < sizeof to.ranks && is_rank_selection(given.value)) {
    TextBuffer(to.ranks).add(given.value);
  } else {
    ValueProblem(given)
        .text()
        .add(" is not a list of ranks such as 0,4-7 or every:64; using ")
        .add(to.ranks[0] ? to.ranks : "all");
  }
}

constexpr SettingInfo kTable[] = {
    {"out", "path or pattern", "perseid-%x-%j-%r.json",
     "write the timeline here; an item without `key=` does the same", "run.json",
     [](const GivenSetting& given, Settings& to) noexcept { set_path(given, to.out); }},
    {"format", "json, pftrace, each .gz", "from the name of out",
     "write these formats, such as pftrace.gz; join several with +", "pftrace", set_format},
    {"max_events", "number, all", "all",
     "stop writing the timeline after this many slices and samples", "1000000",
     [](const GivenSetting& given, Settings& to) noexcept { set_count(given, to.max_events); }},
    {"max_bytes", "size from 1M, all", "all",
     "stop writing the timeline at this size, before compression", "500M",
     [](const GivenSetting& given, Settings& to) noexcept {
       set_size_limit(given, kMinTimelineBytes, to.max_bytes);
     }},
    {"dir", "path or pattern, local", "next to the timeline",
     "keep captures here during the run; local: $SLURM_TMPDIR, $JOBFS, $TMPDIR or /tmp",
     "/tmp/perseid",
     [](const GivenSetting& given, Settings& to) noexcept { set_path(given, to.dir); }},
    {"ring", "64K to 1G", "1M", "set the bytes of a thread's ring, rounded to a power of two", "4M",
     set_ring},
    {"on_full", "flush, drop, overwrite", "flush",
     "when a ring is full: flush to disk, drop new records, overwrite the oldest", "drop",
     [](const GivenSetting& given, Settings& to) noexcept {
       set_choice(given, kOnFullWords, to.on_full);
     }},
    {"memory", "size", "512M", "limit the bytes of all rings; near it new rings are smaller", "4M",
     [](const GivenSetting& given, Settings& to) noexcept {
       set_size(given, kMinRingBytes, UINT64_MAX, to.memory_bytes);
     }},
    {"keep", "0, 1", "0", "keep the capture after a successful export", "1",
     [](const GivenSetting& given, Settings& to) noexcept { set_bool(given, to.keep); }},
    {"paused", "0, 1", "0", "record nothing until perseid_resume()", "1",
     [](const GivenSetting& given, Settings& to) noexcept { set_bool(given, to.paused); }},
    {"follow_fork", "0, 1", "1", "record forked children, each in its own session", "1",
     [](const GivenSetting& given, Settings& to) noexcept { set_bool(given, to.follow_fork); }},
    {"export", "0, 1", "1", "write the timeline when the process ends; 0: only the capture", "1",
     [](const GivenSetting& given, Settings& to) noexcept { set_bool(given, to.export_at_end); }},
    {"quiet", "0, 1", "0", "print errors only, no line at the end of the run", "1",
     [](const GivenSetting& given, Settings& to) noexcept { set_bool(given, to.quiet); }},
    {"report", "off, short, full", "short",
     "print where the time of the workers went when the timeline is written", "full",
     [](const GivenSetting& given, Settings& to) noexcept {
       set_choice(given, kReportWords, to.report);
     }},
    {"clock", "auto, tsc, monotonic", "auto",
     "choose the clock; auto: the TSC if the kernel trusts it", "tsc",
     [](const GivenSetting& given, Settings& to) noexcept {
       set_choice(given, kClockWords, to.clock);
     }},
    {"rings", "auto, shm, capture", "auto",
     "put rings into /dev/shm or the capture; auto: /dev/shm if possible", "shm",
     [](const GivenSetting& given, Settings& to) noexcept {
       set_choice(given, kRingsWords, to.rings);
     }},
    {"deps", "number, all", "100000", "draw at most this many dependency arrows between tasks",
     "all", [](const GivenSetting& given, Settings& to) noexcept { set_count(given, to.deps); }},
    {"starpu", "tasks, all", "all",
     "record submissions, waits and executions; all: also scheduling, data, transfers", "tasks",
     [](const GivenSetting& given, Settings& to) noexcept {
       set_choice(given, kStarpuWords, to.starpu);
     }},
    {"openmp", "on, off", "on",
     "record regions, tasks and waits of OpenMP through its tools interface", "off",
     [](const GivenSetting& given, Settings& to) noexcept { set_bool(given, to.openmp); }},
    {"mpi", "on, off", "on", "record calls and messages of MPI; off: no common clock of ranks",
     "off", [](const GivenSetting& given, Settings& to) noexcept { set_bool(given, to.mpi); }},
    {"cuda", "0, 1, graphs", "1",
     "record CUDA devices through CUPTI; graphs: one slice per graph, not node", "1", set_cuda},
    {"nvtx", "0, 1", "0", "record the program's NVTX ranges and names through CUPTI", "1",
     [](const GivenSetting& given, Settings& to) noexcept { set_bool(given, to.nvtx); }},
    {"opencl", "auto, on, off", "auto", "record OpenCL devices; auto: in programs that use StarPU",
     "on",
     [](const GivenSetting& given, Settings& to) noexcept {
       set_choice(given, kOpenclWords, to.opencl);
     }},
    {"ranks", "0,4-7 or every:64", "all", "trace only these ranks of an MPI job", "every:64",
     set_ranks},
    {"log", "path", "stderr", "write messages to this file", "/tmp/perseid",
     [](const GivenSetting& given, Settings& to) noexcept { set_path(given, to.log); }},
};

}  // namespace

std::span<const SettingInfo> setting_table() noexcept { return kTable; }

}  // namespace perseid
