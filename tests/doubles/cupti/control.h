// tests/doubles/cupti/control.h: how the pretended CUDA tells the pretended CUPTI what happens.
//
// The double keeps the rules that make the real one hard: it asks for buffers under its own lock,
// hands records over later and from a thread of its own, lays them out as the chosen version does,
// fills what that version does not have with rubbish, and ends the process when a rule is broken.
//
//   PERSEID_DOUBLE_VERSION=15       the version it claims to be; 130001 if unset
//   PERSEID_DOUBLE_FAIL=name:code   that function returns that code
//   PERSEID_DOUBLE_OTHER=name       another tool is there already
//   PERSEID_DOUBLE_BUFFER=bytes     uses so much of each buffer only
//   PERSEID_DOUBLE_DROP=count       so many records of the first buffer are dropped
#pragma once

#include <cstdint>

#include "cupti/record/api.h"

namespace perseid::cupti {

/// Everything the double exports beside CUPTI's own functions.
struct DoubleControl {
  /// A function of CUDA begins or ends on this thread.
  void (*call)(Domain domain, uint32_t id, const char* function, uint32_t correlation,
               CallbackSite site, int result);
  /// The device will have finished this when `end` has passed. Any of the structures of api.h.
  void (*record)(ActivityKind kind, const void* activity, uint64_t end);
  /// Nanoseconds of the clock that records use.
  uint64_t (*now)();
};

extern "C" const DoubleControl* perseid_double_control();

}  // namespace perseid::cupti
