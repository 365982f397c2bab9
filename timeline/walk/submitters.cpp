// timeline/walk/submitters.cpp: reads the roles of threads, or looks at their first records.
#include "timeline/walk/submitters.h"

#include <cstdint>

#include "capture/stream_cursor.h"
#include "timeline/walk/decoder.h"

namespace perseid {
namespace {

/// Of a stream without a role: workers introduce themselves when they start, and who submits
/// mostly begins with it.
constexpr size_t kFirstRecords = 1024;

StreamRole role_by(uint16_t kind) {
  for (const DecoderEntry& entry : decoder_table()) {
    if (entry.submission == 0) continue;
    if (kind == make_kind(entry.producer, entry.submission)) return StreamRole::kSubmitter;
    if (kind == make_kind(entry.producer, entry.worker)) return StreamRole::kWorker;
  }
  return StreamRole::kPlain;
}

StreamRole role_by_first_records(Capture& capture, const StreamSource& stream) {
  StreamCursor cursor(capture, stream);
  for (size_t i = 0; i < kFirstRecords; ++i) {
    const StreamCursor::Step step = cursor.next();
    if (step == StreamCursor::Step::kEnd) break;
    if (step == StreamCursor::Step::kHole) continue;
    const StreamRole role = role_by(cursor.record().kind);
    if (role != StreamRole::kPlain) return role;
  }
  return StreamRole::kPlain;
}

}  // namespace

std::vector<bool> find_submitters(Capture& capture) {
  const DamageLog damages = capture.damages();  // the walk will find the same again
  std::vector<bool> submits;
  for (const StreamSource& stream : capture.streams()) {
    const StreamRole role =
        stream.role != StreamRole::kUnknown ? stream.role : role_by_first_records(capture, stream);
    submits.push_back(role == StreamRole::kSubmitter);
  }
  capture.damages() = damages;
  return submits;
}

}  // namespace perseid
