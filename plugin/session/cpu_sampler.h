// plugin/session/cpu_sampler.h: how much CPU time the threads have used that work for a runtime,
// sampled by the drainer ten times a second.
//
// The samples are records of a stream of the drainer's own, so that they survive whatever the
// records of other threads survive, and a flight recorder forgets them with the rest.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <ctime>

namespace perseid {

class Ring;
struct Session;

/// The clock of a thread's CPU time, as glibc makes it from the kernel's thread id. The one from
/// pthread_getcpuclockid() needs a pthread_t that is still valid.
constexpr clockid_t cpu_clock_of(uint32_t tid) noexcept {
  constexpr uint32_t kPerThread = 4, kScheduler = 2;
  return static_cast<clockid_t>(~tid << 3 | kPerThread | kScheduler);
}

/// The CPU time of a thread of this process; 0 if it has ended or the machine does not count.
uint64_t cpu_ns_of(uint32_t tid) noexcept;

/// The drainer's; nobody else calls it.
class CpuSampler {
 public:
  /// Samples if it is time to. No stream is made before there is a thread to sample.
  void sample_in_turn(Session& session, pid_t drainer) noexcept;
  /// The last sample of the session.
  void sample(Session& session, pid_t drainer) noexcept;

 private:
  static constexpr int64_t kPeriodNs = 100'000'000;
  /// So few that they are read at nearly one time, which their record has.
  static constexpr size_t kMaxPerRecord = 16;

  bool has_stream(Session& session, pid_t drainer) noexcept;
  void write(Session& session, const uint64_t* words, size_t count) noexcept;

  Ring* stream_ = nullptr;
  int64_t next_ns_ = 0;
};

}  // namespace perseid
