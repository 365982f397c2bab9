// plugin/session/cpu_sampler.cpp: reads the clocks of threads and writes what they show.
#include "plugin/session/cpu_sampler.h"

#include <cstring>

#include "plugin/record/emit.h"
#include "plugin/session/session.h"

namespace perseid {

uint64_t cpu_ns_of(uint32_t tid) noexcept {
  timespec used{};
  if (clock_gettime(cpu_clock_of(tid), &used) != 0) return 0;
  return static_cast<uint64_t>(used.tv_sec) * 1'000'000'000 + static_cast<uint64_t>(used.tv_nsec);
}

void CpuSampler::sample_in_turn(Session& session, pid_t drainer) noexcept {
  const int64_t now = read_clock_ns(CLOCK_MONOTONIC);
  if (now < next_ns_) return;
  next_ns_ = now + kPeriodNs;
  if (is_recording()) sample(session, drainer);
}

void CpuSampler::sample(Session& session, pid_t drainer) noexcept {
  uint64_t words[2 * kMaxPerRecord];
  size_t used = 0;
  const uint32_t count = session.pool.count();
  for (uint32_t i = 0; i < count; ++i) {
    Ring& ring = session.pool.ring(i);
    // While a ring is owned only its thread can change that, and only the drainer gives the ring
    // to another: the id is this thread's.
    if (ring.state.load(std::memory_order_acquire) != RingState::kOwned) continue;
    if (!ring.is_cpu_time_wanted()) continue;
    const uint64_t cpu_ns = cpu_ns_of(ring.info().tid);
    // Some threads end without their ring. Then there is no such clock, or that of a later thread
    // with the same number, which has used less.
    if (cpu_ns == 0 || cpu_ns < ring.cpu_ns) {
      ring.want_cpu_time(false);
      continue;
    }
    ring.cpu_ns = cpu_ns;
    words[used++] = ring.info().stream;
    words[used++] = cpu_ns;
    if (used < std::size(words)) continue;
    if (!has_stream(session, drainer)) return;
    write(session, words, used);
    used = 0;
  }
  if (used > 0 && has_stream(session, drainer)) write(session, words, used);
}

/// The program's threads come first: none of the last rings is taken for samples.
bool CpuSampler::has_stream(Session& session, pid_t drainer) noexcept {
  if (stream_) return true;
  if (session.pool.bytes() > g_origin.settings.memory_bytes / 2) return false;
  stream_ = session.pool.take();
  if (!stream_) return false;  // the drainer's next turn makes one
  constexpr char kName[] = "perseid";
  stream_->assign({session.next_stream.fetch_add(1), static_cast<uint32_t>(drainer),
                   session.names.intern(kName, sizeof kName - 1), -1});
  stream_->set_role(StreamRole::kRecorder);
  stream_->state.store(RingState::kOwned, std::memory_order_release);
  session.state_file.add(&StateHeader::streams, 1);
  return true;
}

void CpuSampler::write(Session& session, const uint64_t* words, size_t count) noexcept {
  const size_t bytes = sizeof(RecordHeader) + 8 * count;
  const auto needed = [&] { return bytes + (stream_->has_gap() ? Ring::kGapBytes : 0); };
  if (!stream_->extend(needed())) {
    // The drainer cannot wait for itself, as other owners of a full ring do.
    session.spool.empty(*stream_, UINT64_MAX);
    if (!stream_->extend(needed())) return stream_->open_gap(1);
  }
  if (stream_->has_gap()) {
    stream_->close_gap();
    stream_->extend(bytes);
  }
  stream_->put_words(core::kind(core::kCpuTimes), 0, words, count);
}

}  // namespace perseid
