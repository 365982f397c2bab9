// tests/host/recorded.cpp: reads the capture with the reader of the tools.
#include "tests/host/recorded.h"

#include <algorithm>
#include <sstream>
#include <stdexcept>

#include "capture/reader.h"

namespace perseid::host {

namespace {

constexpr size_t kMaxTexts = 100'000;

KnownKinds known_kinds() {
  KnownKinds known{};
  known[static_cast<size_t>(ProducerId::kCore)] = std::rbegin(core::kEvents)->index;
  known[static_cast<size_t>(ProducerId::kAnnotations)] = std::rbegin(annotations::kEvents)->index;
  return known;
}

void take_record(Capture& capture, const StreamCursor& cursor, RecordedStream& stream) {
  const RecordHeader& record = cursor.record();
  ++stream.kinds[record.kind];
  if (record.kind == annotations::kind(annotations::kFlowOut)) {
    stream.numbers.push_back(cursor.words()[0]);
  } else if (record.kind == core::kind(core::kLost)) {
    stream.lost += cursor.words()[0];
  } else if (record.kind == annotations::kind(annotations::kBegin) ||
             record.kind == annotations::kind(annotations::kInstant)) {
    if (stream.texts.size() < kMaxTexts)
      stream.texts.emplace_back(capture.strings().text(record.arg));
  }
}

RecordedStream read_stream(Capture& capture, const StreamSource& source) {
  RecordedStream stream;
  stream.info = source.info;
  if (source.info.name) stream.name = capture.strings().text(source.info.name);
  // Losses after the last record are in the ring's header alone until somebody tells them.
  const uint64_t counted = source.ring ? source.ring->lost : 0;
  StreamCursor cursor(capture, source);
  for (;;) {
    const StreamCursor::Step step = cursor.next();
    if (step == StreamCursor::Step::kEnd) {
      stream.lost = std::max(stream.lost, counted);
      return stream;
    }
    if (step == StreamCursor::Step::kHole)
      stream.holes += cursor.hole().bytes;
    else
      take_record(capture, cursor, stream);
  }
}

}  // namespace

uint64_t RecordedStream::count(uint16_t kind) const {
  const auto found = kinds.find(kind);
  return found == kinds.end() ? 0 : found->second;
}

uint64_t Recorded::count(uint16_t kind) const {
  uint64_t sum = 0;
  for (const RecordedStream& stream : streams) sum += stream.count(kind);
  return sum;
}

uint64_t Recorded::numbers() const {
  uint64_t sum = 0;
  for (const RecordedStream& stream : streams) sum += stream.numbers.size();
  return sum;
}

uint64_t Recorded::lost() const {
  uint64_t sum = lost_without_ring;
  for (const RecordedStream& stream : streams) sum += stream.lost;
  return sum;
}

std::vector<std::string> Recorded::texts() const {
  std::vector<std::string> all;
  for (const RecordedStream& stream : streams)
    all.insert(all.end(), stream.texts.begin(), stream.texts.end());
  std::ranges::sort(all);
  return all;
}

std::string Recorded::describe() const {
  std::ostringstream text;
  text << path << ": " << streams.size() << " streams, " << numbers() << " numbers, lost " << lost()
       << ", nested " << nested << ", spool errors " << spool_errors << '\n';
  for (const std::string& damage : damages) text << "  damage: " << damage << '\n';
  return text.str();
}

Recorded read_capture(const std::string& path) {
  auto opened = Capture::open(path, known_kinds());
  if (!opened) throw std::runtime_error(opened.error());
  Capture& capture = **opened;
  Recorded recorded;
  recorded.path = path;
  recorded.end = capture.state().end;
  recorded.end_signal = capture.state().end_signal;
  recorded.lost_without_ring = capture.state().lost_without_ring;
  recorded.nested = capture.state().nested;
  recorded.spool_errors = capture.state().spool_errors;
  recorded.overwritten_bytes = capture.state().overwritten_bytes;
  recorded.chunks = capture.chunk_count();
  recorded.pid = capture.manifest().get_number("pid");
  recorded.rings = capture.manifest().get("rings");
  for (const StreamSource& source : capture.streams())
    recorded.streams.push_back(read_stream(capture, source));
  for (const Damage& damage : capture.damages().items()) recorded.damages.push_back(damage.text);
  return recorded;
}

std::string find_gap(const RecordedStream& stream, uint64_t at_least) {
  std::ostringstream text;
  if (stream.numbers.size() < at_least) {
    text << "stream " << stream.info.stream << " holds " << stream.numbers.size() << " of "
         << at_least;
    return text.str();
  }
  for (size_t i = 1; i < stream.numbers.size(); ++i) {
    if (stream.numbers[i] == stream.numbers[i - 1] + 1) continue;
    text << "stream " << stream.info.stream << " has " << stream.numbers[i] << " after "
         << stream.numbers[i - 1];
    return text.str();
  }
  return "";
}

}  // namespace perseid::host
