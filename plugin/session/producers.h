// plugin/session/producers.h: the runtimes that Perseid can trace.
#pragma once

#include <span>

namespace perseid {

/// One runtime's hooks. The functions may be called in any process, with or without the runtime;
/// null: there is nothing to do.
struct Producer {
  const char* name;
  /// When the library arms: at load, and again in a forked child that records.
  void (*start)() noexcept = nullptr;
  /// On an ordinary end, before the last drain; also if nothing was ever recorded.
  void (*stop)() noexcept = nullptr;
  /// Another runtime has found an accelerator that this producer can trace.
  void (*on_device_found)() noexcept = nullptr;
  /// After stop(): reports what this runtime did, or could have done, and is not recorded; see
  /// unrecorded.h. `has_recorded`: the process has a session, by whichever runtime.
  void (*explain)(bool has_recorded) noexcept = nullptr;
};

std::span<const Producer> producers() noexcept;

/// Called by a runtime that uses accelerators; it need not know which producer traces them.
void announce_device() noexcept;

}  // namespace perseid
