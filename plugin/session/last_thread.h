// plugin/session/last_thread.h: ends a program whose threads have all left by pthread_exit.
//
// The C library calls exit() when the last thread of a process ends. While our threads live the
// program's last thread is not the last one, so this one stays in its place: it shares everything
// with the program, its table of descriptors included, and calls exit() as the C library would.
#pragma once

#include <atomic>

namespace perseid {

struct Session;

class LastThread {
 public:
  /// Called on a thread of the host. 0 or an errno.
  int start(Session& session) noexcept;

  /// Main has left by pthread_exit: from now on look often whether the others have, too.
  void look_often(Session& session) noexcept;

 private:
  static void* run(void* session) noexcept;
  static bool becomes_last(Session& session) noexcept;
  static bool is_last() noexcept;

  std::atomic<bool> looks_often_{false};
};

}  // namespace perseid
