// capture/recorder_life.h: whether a process may still write a capture. The one rule by which
// captures are exported as finished, and removed.
//
// The recorder holds a lock on the state file (plugin/session/recorder_lock.h) and has written into
// the manifest which process it is. A host may close all descriptors and so drop the lock; a
// process number means nothing on another machine, in another container, or after a restart. So
// only all signs together mean that it is gone.
#pragma once

#include <string>

#include "capture/manifest.h"
#include "capture/session_state.h"

namespace perseid {

enum class RecorderLife {
  kEnded,    // the end is written in the capture
  kGone,     // killed: lock free, same boot and process namespace, no such process any more
  kAlive,    // the lock is held, or the process is there
  kUnknown,  // of another machine, container or version, or without locks: taken for alive
};

RecorderLife recorder_life(const std::string& capture, const Manifest& manifest,
                           const RecordedState& state);
/// Reads manifest and state itself.
RecorderLife recorder_life(const std::string& capture);

constexpr bool may_be_recorded(RecorderLife life) {
  return life == RecorderLife::kAlive || life == RecorderLife::kUnknown;
}

}  // namespace perseid
