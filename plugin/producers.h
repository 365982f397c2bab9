// plugin/producers.h: the runtimes that Perseid can listen to.
#pragma once

#include <span>

namespace perseid {

/// One runtime's hooks. Both functions may be called in any process, with or without the runtime.
struct Producer {
  const char* name;
  /// When the library arms: at load, and again in a forked child that records.
  void (*start)() noexcept;
  /// On an ordinary end, before the last drain; also if nothing was ever recorded.
  void (*stop)() noexcept;
  /// Another runtime has found an accelerator that this one may know; null if it never does.
  void (*meet_device)() noexcept = nullptr;
};

std::span<const Producer> producers() noexcept;

/// A runtime that uses accelerators says so, and need not know who traces them.
void announce_device() noexcept;

}  // namespace perseid
