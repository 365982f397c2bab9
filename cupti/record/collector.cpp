// cupti/record/collector.cpp: from CUDA's first sign of life to the last flush.
#include "cupti/record/collector.h"

#include <unistd.h>

#include <cstring>

#include "plugin/session/message.h"
#include "plugin/session/session.h"
#include "plugin/settings/fixed_text.h"

namespace perseid::cupti {

namespace {

constexpr uint32_t kFlushMilliseconds = 500;

struct WantedKind {
  ActivityKind kind;
  uint32_t since;            // versions before do not have it
  const char* what;          // for the message if CUPTI refuses it
  bool is_dumped_when_late;  // reports what existed before, where CUPTI can
};

constexpr WantedKind kWanted[] = {
    {ActivityKind::kDevice, 0, "device names", true},
    {ActivityKind::kContext, 0, "contexts", true},
    {ActivityKind::kName, 0, "names", false},
    {ActivityKind::kConcurrentKernel, 0, "kernels", false},
    {ActivityKind::kCopy, 0, "copies", false},
    {ActivityKind::kPeerCopy, 0, "copies between devices", false},
    {ActivityKind::kSet, 0, "memory sets", false},
    {ActivityKind::kSynchronization, 0, "synchronisation", false},
    {ActivityKind::kOverhead, 0, "CUPTI's own overhead", false},
    {ActivityKind::kMemory2, kVersion11_2, "memory allocation", false},
    {ActivityKind::kMemoryPool, kVersion11_2, "memory pools", false},
};

const char* text_of(Result result) noexcept {
  const char* text = nullptr;
  if (g_collector.library.get_result_string) g_collector.library.get_result_string(result, &text);
  return text ? text : "unknown error";
}

/// One line; programs without CUPTI run as they always do.
void give_up(const char* why) noexcept {
  g_collector.state.store(State::kOff, std::memory_order_release);
  Line line;
  line << "CUDA devices are not traced: " << why << "; everything else is";
  warn(line.c_str());
}

void give_up(const char* function, Result result) noexcept {
  Line why;
  why << function << " returned " << text_of(result) << " ("
      << static_cast<uint64_t>(static_cast<uint32_t>(result)) << ')';
  if (result == Result::kUnknown) why << ": is there a driver, and a GPU?";
  if (result == Result::kInsufficientPrivileges)
    why << ": ask the administrator to allow GPU profiling";
  give_up(why.c_str());
}

/// Always before any activity is enabled: only subscribing finds out about other tools.
bool subscribe() noexcept {
  Collector& c = g_collector;
  char other[256] = "";
  SubscriberParameters parameters{sizeof parameters, "Perseid", other, sizeof other};
  const bool is_new = c.library.subscribe_v2 != nullptr;
  const Result result = is_new
                            ? c.library.subscribe_v2(&c.subscriber, on_call, nullptr, &parameters)
                            : c.library.subscribe(&c.subscriber, on_call, nullptr);
  if (result == Result::kSuccess) return true;
  if (result != Result::kMultipleSubscribers && result != Result::kMaxLimitReached) {
    give_up(is_new ? "cuptiSubscribe_v2" : "cuptiSubscribe", result);
    return false;
  }
  other[sizeof other - 1] = '\0';
  Line why;
  why << "another tool uses CUPTI";
  if (other[0]) {
    why << ": ";
    why.add_quoted(other);
  } else {
    why << " (Nsight, cuda-gdb, compute-sanitizer or a profiler inside the program)";
  }
  give_up(why.c_str());
  return false;
}

/// CUPTI wants nanoseconds that never fall, from any thread.
uint64_t our_time() noexcept { return static_cast<uint64_t>(read_clock_ns(CLOCK_MONOTONIC)); }

/// Before any activity is enabled, or CUPTI refuses.
void choose_clock() noexcept {
  Collector& c = g_collector;
  c.has_own_clock = c.version < kVersion11_6 || !c.library.register_timestamp ||
                    c.library.register_timestamp(our_time) != Result::kSuccess;
  if (c.has_own_clock) record_clock();
}

Result enable(const WantedKind& wanted, bool is_late) noexcept {
  const Library& library = g_collector.library;
  if (is_late && wanted.is_dumped_when_late && library.activity_enable_and_dump &&
      library.activity_enable_and_dump(wanted.kind) == Result::kSuccess)
    return Result::kSuccess;
  return library.activity_enable(wanted.kind);
}

void enable_activities(bool is_late) noexcept {
  Line refused;
  Result why = Result::kSuccess;
  const auto try_kind = [&](const WantedKind& wanted) {
    if (g_collector.version < wanted.since) return;
    const Result result = enable(wanted, is_late);
    if (result == Result::kSuccess) return;
    if (!refused.view().empty()) refused << ", ";
    refused << wanted.what;
    why = result;
  };
  for (const WantedKind& wanted : kWanted) try_kind(wanted);
  if (g_origin.settings.cuda == CudaChoice::kGraphs)
    try_kind({ActivityKind::kGraphTrace, 0, "graphs", false});
  if (g_origin.settings.nvtx) try_kind({ActivityKind::kMarker, 0, "NVTX ranges", false});
  if (refused.view().empty()) return;
  Line line;
  line << "CUPTI refuses " << refused.c_str() << " (" << text_of(why) << "): not traced";
  warn(line.c_str());
}

void subscribe_and_enable(bool is_late) noexcept {
  Collector& c = g_collector;
  char why[512] = "";
  const char* file = "";
  if (!load_library(c.library, file, why, sizeof why)) return give_up(why);
  if (const Result result = c.library.get_version(&c.version); result != Result::kSuccess)
    return give_up("cuptiGetVersion", result);
  if (c.version < kVersion11_0) {
    Line line;
    line << file << " is version " << uint64_t{c.version} << ", older than that of CUDA 11.0";
    return give_up(line.c_str());
  }
  if (!subscribe()) return;
  emit(kind(kLibraryRecord), c.version, intern(file));
  choose_clock();
  if (const Result result = c.library.register_callbacks(on_buffer_requested, on_buffer_completed);
      result != Result::kSuccess) {
    c.library.unsubscribe(c.subscriber);
    return give_up("cuptiActivityRegisterCallbacks", result);
  }
  // Threads that launch at the same time then do not wait for each other.
  if (c.version >= kVersion12_3 && c.library.set_attribute) {
    uint8_t is_on = 1;
    size_t size = sizeof is_on;
    c.library.set_attribute(Attribute::kPerThreadBuffers, &size, &is_on);
  }
  // From here on callbacks may come.
  c.state.store(State::kOn, std::memory_order_release);
  enable_activities(is_late);
  enable_calls();
  // What CUPTI holds back is lost if the process is killed.
  if (c.library.flush_period) c.library.flush_period(kFlushMilliseconds);
}

}  // namespace

uint32_t intern(const char* text) noexcept {
  if (!text || !is_recording()) return 0;
  const InsideGuard guard;
  if (!guard || (!t_ring && !join_session())) return 0;
  return session().names.intern(text, strnlen(text, kMaxStringBytes));
}

void begin_collecting(bool is_late) noexcept {
  if (!g_origin.settings.is_on || g_origin.settings.cuda == CudaChoice::kOff) return;
  State idle = State::kIdle;
  if (!g_collector.state.compare_exchange_strong(idle, State::kStarting)) return;
  const SystemCallGuard guard;
  g_collector.process.store(getpid());
  subscribe_and_enable(is_late);
}

void flush(uint32_t flags) noexcept {
  Collector& c = g_collector;
  if (!is_on() || c.process.load() != getpid() || !c.was_used.load()) return;
  if (c.is_flushing.exchange(true)) return;
  c.library.flush_all(flags);
  c.is_flushing.store(false);
}

void record_clock() noexcept {
  constexpr int kTries = 16;
  int64_t best_width = INT64_MAX;
  uint64_t ours = 0, theirs = 0;
  for (int i = 0; i < kTries; ++i) {
    uint64_t reading = 0;
    const int64_t before = read_clock_ns(CLOCK_MONOTONIC);
    if (g_collector.library.get_timestamp(&reading) != Result::kSuccess) return;
    const int64_t width = read_clock_ns(CLOCK_MONOTONIC) - before;
    if (width >= best_width) continue;
    best_width = width;
    ours = static_cast<uint64_t>(before + width / 2);
    theirs = reading;
  }
  emit(kind(kClockRecord), 0, ours, theirs);
}

/// Before the last drain, on an ordinary end. cuptiFinalize is left alone: it is safe in few
/// versions and in few places, and the process ends anyway.
void stop() noexcept {
  Collector& c = g_collector;
  const SystemCallGuard guard;
  // Another thread may be flushing right now; its turn ends, unless CUPTI itself hangs.
  constexpr int kTimeout = 2000;
  const timespec millisecond{0, 1'000'000};
  for (int i = 0; i < kTimeout && is_on() && c.is_flushing.load(); ++i)
    nanosleep(&millisecond, nullptr);
  flush(kFlushForced);
  if (c.process.load() != getpid()) return;
  State on = State::kOn;
  if (!c.state.compare_exchange_strong(on, State::kOff)) return;
  c.library.unsubscribe(c.subscriber);
  const uint64_t dropped = c.dropped.load();
  if (dropped == 0) return;
  Line line;
  line << "CUPTI had no room for " << dropped << " records of CUDA devices; they are lost";
  warn(line.c_str());
}

}  // namespace perseid::cupti
