// capture/damage.h: what of a capture could not be read. Damage is data: reading goes on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace perseid {

enum class DamageKind : uint8_t {
  kManifest,
  kState,
  kStrings,
  kTopology,
  kClock,   // times are approximate
  kSpool,   // bytes of the spool that belong to no chunk
  kRing,    // a ring file that cannot be used
  kChunk,   // a chunk whose payload is not what was written
  kRecord,  // bytes that are no record; the rest of their chunk is skipped
  kShort,   // records with fewer words than the fields of their event
  kGap,     // positions of a stream that are in no chunk and no ring
};
std::string_view name(DamageKind kind) noexcept;

struct Damage {
  DamageKind kind = DamageKind::kGap;
  uint32_t stream = 0;    // 0: of no stream in particular
  uint64_t position = 0;  // in the stream, or in the file where there is no stream
  std::string text;       // a sentence for the user
};

/// All damage of one capture. Counts everything, but keeps only the first items: a file of
/// random bytes must not fill the memory.
class DamageLog {
 public:
  static constexpr size_t kMaxItems = 1000;

  void add(Damage damage) {
    ++count_;
    if (items_.size() < kMaxItems) items_.push_back(std::move(damage));
  }
  const std::vector<Damage>& items() const noexcept { return items_; }
  uint64_t count() const noexcept { return count_; }

 private:
  std::vector<Damage> items_;
  uint64_t count_ = 0;
};

}  // namespace perseid
