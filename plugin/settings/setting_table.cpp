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
  ValueComplaint complaint(given);
  TextBuffer& text = complaint.text().add(" is not one of ");
  for (size_t i = 0; i < std::size(kFormats); ++i) text.add(i == 0 ? "" : ", ").add(kFormats[i]);
  text.add(", or several with + between them; using ");
  text.add(to.format[0] ? to.format : "the format that the file's name says");
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
    ValueComplaint(given)
        .text()
        .add(" is no list of ranks such as 0,4-7 or every:64; using ")
        .add(to.ranks[0] ? to.ranks : "all");
  }
}

constexpr SettingInfo kTable[] = {
    {"out", "path or pattern", "perseid-%x-%j-%r.json",
     "where the timeline goes; an item without `key=` is the same", "run.json",
     [](const GivenSetting& given, Settings& to) noexcept { set_path(given, to.out); }},
    {"format", "json, pftrace, each .gz", "by the name of out",
     "what is written, such as pftrace.gz; several with + between them", "pftrace", set_format},
    {"max_events", "number, all", "all", "a timeline of more slices and samples is cut there",
     "1000000",
     [](const GivenSetting& given, Settings& to) noexcept { set_count(given, to.max_events); }},
    {"max_bytes", "size from 1M, all", "all", "a larger timeline is cut there; before compression",
     "500M",
     [](const GivenSetting& given, Settings& to) noexcept {
       set_size_limit(given, kMinTimelineBytes, to.max_bytes);
     }},
    {"dir", "path or pattern, local", "beside the timeline",
     "where captures are kept during the run; local: $SLURM_TMPDIR, $JOBFS, $TMPDIR or /tmp",
     "/tmp/perseid",
     [](const GivenSetting& given, Settings& to) noexcept { set_path(given, to.dir); }},
    {"ring", "64K to 1G", "1M", "memory of one thread's ring, rounded up to a power of two", "4M",
     set_ring},
    {"on_full", "flush, drop, overwrite", "flush",
     "a full ring is written out first, new records are counted only, or the oldest go", "drop",
     [](const GivenSetting& given, Settings& to) noexcept {
       set_choice(given, kOnFullWords, to.on_full);
     }},
    {"memory", "size", "512M", "all rings together; near it new threads get smaller rings", "4M",
     [](const GivenSetting& given, Settings& to) noexcept {
       set_size(given, kMinRingBytes, UINT64_MAX, to.memory_bytes);
     }},
    {"keep", "0, 1", "0", "keep the capture after a good export", "1",
     [](const GivenSetting& given, Settings& to) noexcept { set_bool(given, to.keep); }},
    {"paused", "0, 1", "0", "record nothing until perseid_resume()", "1",
     [](const GivenSetting& given, Settings& to) noexcept { set_bool(given, to.paused); }},
    {"follow_fork", "0, 1", "1", "a forked child records a session of its own", "1",
     [](const GivenSetting& given, Settings& to) noexcept { set_bool(given, to.follow_fork); }},
    {"export", "0, 1", "1", "write the timeline when the process ends; 0 leaves the capture", "1",
     [](const GivenSetting& given, Settings& to) noexcept { set_bool(given, to.export_at_end); }},
    {"quiet", "0, 1", "0", "no line at the end of the run; errors are still told", "1",
     [](const GivenSetting& given, Settings& to) noexcept { set_bool(given, to.quiet); }},
    {"clock", "auto, tsc, monotonic", "auto", "auto takes the TSC if the kernel trusts it", "tsc",
     [](const GivenSetting& given, Settings& to) noexcept {
       set_choice(given, kClockWords, to.clock);
     }},
    {"rings", "auto, shm, capture", "auto",
     "rings live in /dev/shm or in the capture; auto takes /dev/shm if it has room", "shm",
     [](const GivenSetting& given, Settings& to) noexcept {
       set_choice(given, kRingsWords, to.rings);
     }},
    {"deps", "number, all", "100000", "most arrows for dependencies between tasks; 0 draws none",
     "all", [](const GivenSetting& given, Settings& to) noexcept { set_count(given, to.deps); }},
    {"starpu", "tasks, all", "all",
     "tasks: submissions, waits, executions; all: scheduling, data, transfers too", "tasks",
     [](const GivenSetting& given, Settings& to) noexcept {
       set_choice(given, kStarpuWords, to.starpu);
     }},
    {"openmp", "on, off", "on", "regions, tasks and waits of OpenMP, through its tools interface",
     "off", [](const GivenSetting& given, Settings& to) noexcept { set_bool(given, to.openmp); }},
    {"mpi", "on, off", "on", "messages and calls of MPI; off: clocks of ranks are not compared",
     "off", [](const GivenSetting& given, Settings& to) noexcept { set_bool(given, to.mpi); }},
    {"cuda", "0, 1, graphs", "1",
     "what CUDA devices do, through CUPTI; graphs: a slice per graph, not per node", "1", set_cuda},
    {"nvtx", "0, 1", "0", "ranges and names that the program gives with NVTX, through CUPTI", "1",
     [](const GivenSetting& given, Settings& to) noexcept { set_bool(given, to.nvtx); }},
    {"opencl", "auto, on, off", "auto", "what OpenCL devices do; auto: in programs that use StarPU",
     "on",
     [](const GivenSetting& given, Settings& to) noexcept {
       set_choice(given, kOpenclWords, to.opencl);
     }},
    {"ranks", "0,4-7 or every:64", "all",
     "the ranks of an MPI job that are traced; the others do nothing at all", "every:64",
     set_ranks},
    {"log", "path", "stderr", "where messages go", "/tmp/perseid",
     [](const GivenSetting& given, Settings& to) noexcept { set_path(given, to.log); }},
};

}  // namespace

std::span<const SettingInfo> setting_table() noexcept { return kTable; }

}  // namespace perseid
