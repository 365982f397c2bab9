// tools/perseid/ring_removal.h: deletes the rings of a capture, and nothing else.
#pragma once

#include <sys/types.h>

#include "capture/manifest.h"

namespace perseid {

/// The N.ring files in an open directory that carry `session`, or nothing yet: their recorder was
/// killed while it made them. No link is followed.
void remove_rings_in(int directory, uint64_t session);

/// The directory that the manifest names, if it is one that a recorder makes: in /dev/shm, with
/// the capture's session in its name, owned by us or by the capture's owner, and of no process
/// that has its rings mapped. A manifest is input: whatever else it names stays as it is.
void remove_rings_elsewhere(const Manifest& manifest, uid_t capture_owner);

}  // namespace perseid
