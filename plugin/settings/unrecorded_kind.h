// plugin/settings/unrecorded_kind.h: how much something that is not in a timeline matters.
#pragma once

#include <cstdint>

namespace perseid {

enum class Unrecorded : uint8_t {
  kUsed,      // it happened, and cannot be recorded this way
  kIdle,      // the process could have done it and did not; matters where nothing was recorded
  kReported,  // it happened, and the user knows already
};

}  // namespace perseid
