// plugin/settings/run_registry.h: how `perseid run` finds the captures of all its descendants.
//
// `perseid run` makes an empty file and names it in PERSEID_RUN. Every session below it adds one
// line when its capture exists and one when it has ended:
//
// clang-format off
//   open PATH\n        newlines and backslashes in PATH are written "\n" and "\\"
//   done PATH\n
//   used SENTENCE\n    plugin/session/unrecorded.h: what is missing in the timelines, escaped likewise
//   idle SENTENCE\n
//   told SENTENCE\n
//   none WHY\n         there will be no capture
// clang-format on
//
// At its end `perseid run` unlinks the file and exports what is in it. A session that finds the
// file gone, or not locked by `perseid run`, exports for itself. Both act under the lock of the
// lines, so exactly one of them does. Locks belong to open files (F_OFD_SETLK) and vanish with a
// process that is killed.
#pragma once

#include <sys/types.h>

#include "plugin/settings/unrecorded_kind.h"

namespace perseid {

inline constexpr char kRunRegistryVariable[] = "PERSEID_RUN";

/// Bytes of the file that are locked; none of them needs to exist.
inline constexpr off_t kRegistryLinesLock = 0;   // while a process adds or takes lines
inline constexpr off_t kRegistryHolderLock = 1;  // as long as `perseid run` is there

/// The recording side. No allocation, safe in a signal handler, changes errno. `registry` is the
/// variable's value, an absolute path; null or anything else counts as no registry.
namespace run_registry {

/// Adds the capture. False if no `perseid run` is there to read it.
bool announce(const char* registry, const char* capture) noexcept;

/// Reports that the capture is complete. True if `perseid run` is there and will export it.
bool hand_over(const char* registry, const char* capture) noexcept;

/// True if `perseid run` is there and will print the sentence where it matters.
bool report_unrecorded(const char* registry, Unrecorded kind, const char* sentence) noexcept;
/// Adds the reason why there is no capture. True if `perseid run` is there and will print it.
bool report_failure(const char* registry, const char* why) noexcept;

}  // namespace run_registry
}  // namespace perseid
