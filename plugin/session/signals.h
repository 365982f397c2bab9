// plugin/session/signals.h: SIGTERM and SIGINT end with a written timeline, where the host has no
// handler.
#pragma once

namespace perseid {

/// Takes the two signals if they still have their default action. Crash safety does not depend
/// on it: that comes from the mapped rings.
void catch_end_signals() noexcept;

}  // namespace perseid
