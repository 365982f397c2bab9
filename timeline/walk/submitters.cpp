// timeline/walk/submitters.cpp: see submitters.h.
#include "timeline/walk/submitters.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>

#include "capture/stream_cursor.h"
#include "timeline/walk/decoder.h"

namespace perseid {
namespace {

/// Workers introduce themselves when they start. If no thread's first records are of a runtime
/// with tasks, there is none, and nothing more is read.
constexpr size_t kFirstRecords = 1024;

enum class Finding : uint8_t { kNothing, kRuntime, kSubmitter, kWorker };

class KindTable {
 public:
  KindTable() {
    for (const DecoderEntry& entry : decoder_table()) {
      if (entry.submission == 0) continue;
      entries_[static_cast<size_t>(entry.producer)] = &entry;
    }
  }
  Finding of(uint16_t kind) const noexcept {
    const DecoderEntry* const entry = entries_[kind >> 8];
    if (entry == nullptr) return Finding::kNothing;
    const auto event = static_cast<uint8_t>(kind & 0xff);
    if (event == entry->submission) return Finding::kSubmitter;
    return event == entry->worker ? Finding::kWorker : Finding::kRuntime;
  }

 private:
  std::array<const DecoderEntry*, 256> entries_{};
};

/// What the next records say, at most `most` of them.
Finding look(StreamCursor& cursor, const KindTable& kinds, size_t most) {
  Finding seen = Finding::kNothing;
  for (size_t i = 0; i < most; ++i) {
    const StreamCursor::Step step = cursor.next();
    if (step == StreamCursor::Step::kEnd) break;
    if (step == StreamCursor::Step::kHole) continue;
    const Finding finding = kinds.of(cursor.record().kind);
    if (finding > Finding::kRuntime) return finding;
    seen = std::max(seen, finding);
  }
  return seen;
}

}  // namespace

std::vector<bool> find_submitters(Capture& capture) {
  const DamageLog damages = capture.damages();  // the walk will find the same again
  const KindTable kinds;
  const auto& streams = capture.streams();
  std::vector<Finding> findings(streams.size());
  const auto look_at_all = [&](size_t most) {
    for (size_t i = 0; i < streams.size(); ++i) {
      if (findings[i] > Finding::kRuntime) continue;
      StreamCursor cursor(capture, streams[i]);
      findings[i] = look(cursor, kinds, most);
    }
  };
  look_at_all(kFirstRecords);
  const bool has_runtime =
      std::ranges::any_of(findings, [](Finding finding) { return finding != Finding::kNothing; });
  if (has_runtime) look_at_all(SIZE_MAX);
  capture.damages() = damages;

  std::vector<bool> submits(streams.size());
  for (size_t i = 0; i < streams.size(); ++i) submits[i] = findings[i] == Finding::kSubmitter;
  return submits;
}

}  // namespace perseid
