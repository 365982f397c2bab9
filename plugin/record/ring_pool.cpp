// plugin/record/ring_pool.cpp: sizes and reuse of rings within the memory limit.
#include "plugin/record/ring_pool.h"

#include <sched.h>
#include <sys/mman.h>
#include <sys/statvfs.h>

#include <cerrno>

#include "plugin/record/ring_sizes.h"
#include "plugin/session/message.h"
#include "plugin/settings/fixed_text.h"

namespace perseid {

namespace {

/// A full disk is asked again only after a while.
constexpr int64_t kPauseAfterFailureNs = 200'000'000;
/// For a thread between taking a ring and looking whether the session still is on.
constexpr int64_t kTakerTimeoutNs = 100'000'000;

using RingName = FixedText<32>;
void name_ring(RingName& name, uint32_t index) noexcept { name << uint64_t{index} << kRingSuffix; }

}  // namespace

bool RingPool::open(const RingPlan& plan) noexcept {
  plan_ = plan;
  // Zero pages are valid rings in state kAbsent; only slots in use cost memory.
  void* list = mmap(nullptr, kMaxRings * sizeof(Ring), PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (list == MAP_FAILED) return false;
  rings_ = static_cast<Ring*>(list);
  return true;
}

void RingPool::close() noexcept {
  if (rings_) munmap(static_cast<void*>(rings_), kMaxRings * sizeof(Ring));
  rings_ = nullptr;
}

Ring* RingPool::take() noexcept {
  if (spares_.load(std::memory_order_seq_cst) == 0) return nullptr;
  const uint32_t end = count();
  for (uint32_t i = 0; i < end; ++i) {
    Ring& ring = rings_[i];
    RingState seen = RingState::kSpare;
    if (ring.state.load(std::memory_order_relaxed) != seen ||
        !ring.state.compare_exchange_strong(seen, RingState::kMaking, std::memory_order_acquire))
      continue;
    spares_.fetch_sub(1, std::memory_order_relaxed);
    return &ring;
  }
  return nullptr;
}

void RingPool::put_back(Ring& ring) noexcept {
  spares_.fetch_add(1, std::memory_order_relaxed);
  ring.state.store(RingState::kSpare, std::memory_order_release);
  news.fetch_add(1, std::memory_order_seq_cst);
  if (wanted_.load(std::memory_order_seq_cst) > 0) futex_wake(news, 1);
}

void RingPool::retire(Ring& ring) noexcept {
  ring.retired_ticks = read_ticks();
  if (ring.overwrites()) kept_.fetch_add(1, std::memory_order_relaxed);
  ring.state.store(RingState::kRetired, std::memory_order_release);
  ask(ring);
}

void RingPool::ask(const Ring& ring) noexcept {
  const auto index = static_cast<uint32_t>(&ring - rings_);
  asking_[index / 64].fetch_or(uint64_t{1} << index % 64, std::memory_order_seq_cst);
}

bool RingPool::is_asking(const Ring& ring) const noexcept {
  const auto index = static_cast<uint32_t>(&ring - rings_);
  return asking_[index / 64].load(std::memory_order_relaxed) >> index % 64 & 1;
}

bool RingPool::is_any_asking() const noexcept {
  const uint32_t words = (count() + 63) / 64;
  for (uint32_t i = 0; i < words; ++i)
    if (asking_[i].load(std::memory_order_relaxed) != 0) return true;
  return false;
}

void RingPool::top_up() noexcept {
  bool has_failed = false;
  for (uint32_t made = 0; made < kMaxAtOnce; ++made) {
    const uint32_t wanted = wanted_.load(std::memory_order_seq_cst);
    const uint32_t spares = spares_.load(std::memory_order_relaxed);
    // Rings that threads have just left come back sooner than new ones are made.
    if (spares >= wanted + (is_any_asking() ? 0 : kSpares)) break;
    // The last quarter of the cap is left to threads that ask.
    const bool must_not_make =
        spares >= wanted && bytes() + plan_.ring_bytes > plan_.memory_bytes / 4 * 3;
    if (must_not_make && kept_.load(std::memory_order_relaxed) <= kFewKept) break;
    Ring* ring = must_not_make ? nullptr : make();
    if (!ring) ring = give_up_oldest();
    has_failed = ring == nullptr;
    if (has_failed) break;
    put_back(*ring);
  }
  is_exhausted_.store(has_failed, std::memory_order_release);
  if (has_failed && wanted_.load(std::memory_order_seq_cst) > 0) wake_takers();
}

void RingPool::wake_takers() noexcept {
  news.fetch_add(1, std::memory_order_seq_cst);
  futex_wake(news);
}

Ring* RingPool::make() noexcept {
  if (read_clock_ns(CLOCK_MONOTONIC) < retry_ns_) return nullptr;
  const uint64_t size = next_ring_bytes(plan_.ring_bytes, plan_.memory_bytes, bytes());
  const uint32_t index = count();
  const bool can_reuse = kept_.load(std::memory_order_relaxed) > 0;
  if (bytes() + size > plan_.memory_bytes || index >= kMaxRings) {
    if (!can_reuse && wanted_.load(std::memory_order_relaxed) > 0) report_no_memory();
    return nullptr;
  }
  if (can_reuse && !has_room_to_spare(size)) return nullptr;
  Ring& ring = rings_[index];
  ring.state.store(RingState::kMaking, std::memory_order_relaxed);
  const int error = create(ring, index, size);
  if (error == 0) {
    bytes_.fetch_add(size, std::memory_order_relaxed);
    count_.store(index + 1, std::memory_order_release);
    return &ring;
  }
  ring.state.store(RingState::kAbsent, std::memory_order_relaxed);
  retry_ns_ = read_clock_ns(CLOCK_MONOTONIC) + kPauseAfterFailureNs;
  if (!has_reported_) {
    has_reported_ = true;
    Line line;
    line << "cannot create a ring of " << size / 1024 << "K in " << plan_.directory->path()
         << " or " << plan_.capture->path() << ": ";
    line.append_error(error)
        << "; lower ring= or memory=, or set dir= to a directory with free space";
    warn(line.c_str());
  }
  return nullptr;
}

/// The records of the ring are counted as overwritten before they go: if the process is killed in
/// between, none vanish uncounted.
Ring* RingPool::give_up_oldest() noexcept {
  if (kept_.load(std::memory_order_relaxed) == 0) return nullptr;
  Ring* oldest = nullptr;
  const uint32_t end = count();
  for (uint32_t i = 0; i < end; ++i) {
    Ring& ring = rings_[i];
    if (ring.state.load(std::memory_order_acquire) != RingState::kRetired) continue;
    if (!oldest || ring.retired_ticks < oldest->retired_ticks) oldest = &ring;
  }
  if (!oldest) return nullptr;
  kept_.fetch_sub(1, std::memory_order_relaxed);
  oldest->state.store(RingState::kMaking, std::memory_order_relaxed);
  plan_.counters->set(&StateHeader::overwritten_ticks, oldest->retired_ticks);
  plan_.counters->add(&StateHeader::overwritten_bytes, oldest->head() - oldest->base());
  oldest->give_up();
  return oldest;
}

/// Rings kept for their records take at most half of what was free: others need /dev/shm, too.
bool RingPool::has_room_to_spare(uint64_t bytes) const noexcept {
  struct statvfs facts;
  return statvfs(plan_.directory->path(), &facts) == 0 &&
         facts.f_bavail * facts.f_frsize >= this->bytes() + bytes;
}

void RingPool::report_no_memory() noexcept {
  if (has_reported_no_memory_) return;
  has_reported_no_memory_ = true;
  Line line;
  line << "no ring for one more thread: memory=" << plan_.memory_bytes / 1024 << "K is shared by "
       << uint64_t{count()} << " threads; its events are dropped and counted; raise memory=";
  if (plan_.ring_bytes > kMinRingBytes)
    line << ", or lower ring= below " << plan_.ring_bytes / 1024 << 'K';
  warn(line.c_str());
}

int RingPool::create(Ring& ring, uint32_t index, uint64_t bytes) noexcept {
  RingName name;
  name_ring(name, index);
  if (!is_directory_full_) {
    const int error =
        ring.create(*plan_.directory, name.c_str(), bytes, plan_.session, plan_.on_full);
    if (error == 0) return 0;
    // Without a descriptor or address space no other place is better.
    if (error == EMFILE || error == ENFILE || error == ENOMEM) return error;
    is_directory_full_ = true;
  }
  const int error = ring.create(*plan_.capture, name.c_str(), bytes, plan_.session, plan_.on_full);
  ring.is_in_capture = error == 0;
  return error;
}

bool RingPool::remove_files(bool keep_unread) noexcept {
  const int64_t give_up_ns = read_clock_ns(CLOCK_MONOTONIC) + kTakerTimeoutNs;
  bool is_all_gone = true;
  const uint32_t end = count();
  for (uint32_t i = 0; i < end; ++i) {
    Ring& ring = rings_[i];
    const auto is_being_taken = [&ring] {
      return ring.state.load(std::memory_order_acquire) == RingState::kMaking;
    };
    while (is_being_taken() && read_clock_ns(CLOCK_MONOTONIC) < give_up_ns) sched_yield();
    if (is_being_taken() || (keep_unread && ring.head() != ring.tail())) {
      is_all_gone = false;
      continue;
    }
    RingName name;
    name_ring(name, i);
    (ring.is_in_capture ? plan_.capture : plan_.directory)->remove_file(name.c_str());
  }
  return is_all_gone && (plan_.directory == plan_.capture || plan_.directory->remove());
}

}  // namespace perseid
