// opencl/record/queues.h: the program's command queues, and the commands in them that are not over.
//
// Asking every event for a callback costs a thread switch per command. Instead a queue keeps a few
// of its events and asks them for their times later: when the program waits for it, at every
// kHarvestEvery-th command, and when the queue goes away. Only what does not fit gets a callback.
#pragma once

#include <array>
#include <atomic>

#include "opencl/record/layer.h"

namespace perseid::opencl {

struct Pending {
  cl_event event;  // we hold a reference
  uint64_t command;
};

/// Of one queue of the program's. Any thread may call; none waits for another for longer than a
/// few stores take.
class Queue {
 public:
  static constexpr uint32_t kMaxPending = 128;
  static constexpr uint32_t kHarvestEvery = 64;

  uint32_t number = 0;
  bool is_timed = false;         // its events have times
  bool was_timed_by_us = false;  // the program did not ask for them

  /// Takes over one reference to `event`, whose command has been recorded.
  void follow(cl_event event, uint64_t command) noexcept;
  /// Records and releases what is over. What is not over stays, or gets a callback.
  void harvest(bool stays) noexcept;
  void forget() noexcept {
    count_ = 0;
    unlock();  // another thread of the parent may have held it
  }

 private:
  bool try_lock() noexcept { return !is_locked_.test_and_set(std::memory_order_acquire); }
  void unlock() noexcept { is_locked_.clear(std::memory_order_release); }

  std::atomic_flag is_locked_{};
  uint32_t count_ = 0;
  uint32_t since_harvest_ = 0;
  std::array<Pending, kMaxPending> pending_{};
};

/// Null for a queue that was made before the layer listened.
Queue* find_queue(cl_command_queue handle) noexcept;

void harvest_all() noexcept;
/// In a forked child: the parent's queues are of no use here.
void forget_queues() noexcept;

/// A command was seen that the settings leave out.
void note_unrecorded_program() noexcept;
bool has_unrecorded_program() noexcept;

}  // namespace perseid::opencl
