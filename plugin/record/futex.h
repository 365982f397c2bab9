// plugin/record/futex.h: sleeping until another thread of this process changes a word.
#pragma once

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <climits>
#include <cstdint>
#include <ctime>

namespace perseid {

/// Returns when the word is no longer `seen`, after a wake-up, or after `at_most_ns`.
inline void futex_wait(std::atomic<uint32_t>& word, uint32_t seen, int64_t at_most_ns) noexcept {
  const timespec timeout{static_cast<time_t>(at_most_ns / 1'000'000'000),
                         static_cast<long>(at_most_ns % 1'000'000'000)};
  syscall(SYS_futex, &word, FUTEX_WAIT | FUTEX_PRIVATE_FLAG, seen, &timeout, nullptr, 0);
}

inline void futex_wake(std::atomic<uint32_t>& word, int how_many = INT_MAX) noexcept {
  syscall(SYS_futex, &word, FUTEX_WAKE | FUTEX_PRIVATE_FLAG, how_many, nullptr, nullptr, 0);
}

}  // namespace perseid
