// bench/bursts.h: keeps a case from measuring the disk when it means to measure emit().
#pragma once

#include <unistd.h>

#include "plugin/record/emit.h"
#include "plugin/session/session.h"

namespace perseid::bench {

/// Bursts that fit into a ring of the default size together with what the drainer leaves in it.
inline constexpr size_t kBurst = 5000;

/// Waits, for a second at most, until the drainer has caught up with the calling thread.
inline void let_drainer_catch_up() noexcept {
  constexpr int kMaxTurns = 5000;
  for (int i = 0; i < kMaxTurns && t_ring && t_ring->is_worth_draining(t_ring->used()); ++i) {
    session().drainer.wake();
    usleep(200);
  }
}

}  // namespace perseid::bench
