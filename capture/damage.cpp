// capture/damage.cpp: the names of damage, as `perseid check` prints them.
#include "capture/damage.h"

namespace perseid {

std::string_view name(DamageKind kind) noexcept {
  switch (kind) {
    case DamageKind::kManifest:
      return "manifest";
    case DamageKind::kState:
      return "state";
    case DamageKind::kStrings:
      return "strings";
    case DamageKind::kTopology:
      return "topology";
    case DamageKind::kClock:
      return "clock";
    case DamageKind::kSpool:
      return "spool";
    case DamageKind::kRing:
      return "ring";
    case DamageKind::kChunk:
      return "chunk";
    case DamageKind::kRecord:
      return "record";
    case DamageKind::kShort:
      return "short";
    case DamageKind::kGap:
      return "gap";
  }
  return "unknown";
}

}  // namespace perseid
