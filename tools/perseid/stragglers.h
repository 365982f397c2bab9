// tools/perseid/stragglers.h: recordings that go on when what `perseid run` started has ended.
#pragma once

#include <chrono>

#include "tools/perseid/registry_owner.h"

namespace perseid {

/// Waits until the processes of all announced captures have ended, or `timeout` is over. Of a
/// killed launcher's ranks most end soon after; their last records belong into the timeline.
/// Prints what is waited for, unless it is short or `is_quiet`.
void wait_for_stragglers(RegistryOwner& registry, std::chrono::milliseconds timeout, bool is_quiet);

}  // namespace perseid
