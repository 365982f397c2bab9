// starpu_hooks/decode/payload.h: capture/payload.h for this folder, and what StarPU's results mean.
#pragma once

#include <cstdint>
#include <cstring>
#include <string_view>

#include "capture/payload.h"

namespace perseid::starpu::decoding {

using perseid::Payload;

/// StarPU returns -ENODEV and the like; a damaged record may hold any number. Valid until the next
/// call.
inline std::string_view error_text(int32_t result) {
  return std::strerror(result < 0 && result != INT32_MIN ? -result : result);
}

}  // namespace perseid::starpu::decoding
