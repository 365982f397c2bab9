// plugin/record/writable.cpp: asks the kernel by a futex operation that changes nothing.
//
// FUTEX_WAKE_OP makes the kernel change one word and wake who waits for another. "Add 0" to the
// word in question, without a waiter, is a store that has no effect, is atomic with respect to the
// program's own stores, and returns EFAULT where an ordinary store would raise SIGSEGV.
// /proc/self/maps gives the same answer a thousand times slower and already outdated.
#include "plugin/record/writable.h"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>

namespace perseid {

Writability writability_of(void* word) noexcept {
  const int kept = errno;
  uint32_t nobody_waits = 0;
  constexpr int kNone = 0;
  const long result = syscall(SYS_futex, &nobody_waits, FUTEX_WAKE_OP_PRIVATE, kNone, kNone, word,
                              FUTEX_OP(FUTEX_OP_ADD, 0, FUTEX_OP_CMP_EQ, 0));
  const int error = result < 0 ? errno : 0;
  errno = kept;
  if (error == 0) return Writability::kYes;
  return error == EFAULT ? Writability::kNo : Writability::kUnknown;
}

}  // namespace perseid
