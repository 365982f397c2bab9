// timeline/writers/wait_colour.h: waits are shown, but in a colour that leaves the eye to the work.
#pragma once

#include <string_view>

#include "timeline/drawing/slice.h"

namespace perseid {

/// What Perfetto's page takes for a slice's colour instead of its name. The page makes hue and
/// lightness from a hash of this text and knows no grey; of short texts that name what they mark,
/// this one gets nearly the palest colour of all (a light blue, lightness 76 of at most 79),
/// on which it writes in black. Names as they are would be as loud as any task: "barrier" is
/// purple, "idle" red.
inline constexpr std::string_view kQuietColour = "waiting or idle";

inline bool is_quiet(const Slice& slice) {
  return slice.role == SliceRole::kWait || slice.role == SliceRole::kIdle;
}

}  // namespace perseid
