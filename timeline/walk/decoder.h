// timeline/walk/decoder.h: what turns a producer's records into the model, and the table of all.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "capture/event_info.h"
#include "capture/stream_cursor.h"
#include "timeline/drawing/model.h"

namespace perseid {

/// One producer's decoder during one walk. Records of all threads arrive in order of time.
class Decoder {
 public:
  virtual ~Decoder() = default;
  virtual void record(Thread& thread, int64_t at_ns, const RecordHeader& header,
                      std::span<const uint64_t> words) = 0;
  /// Closes what is still open.
  virtual void finish(int64_t end_ns) = 0;
};

/// Who decodes a producer's records. The table has a row for each producer, in decoder_table.cpp:
/// adding a runtime is adding a row.
struct DecoderEntry {
  ProducerId producer;
  std::unique_ptr<Decoder> (*make)(Model& model);
  /// Of a runtime with tasks: the event of a thread that hands one out, and that of a thread that
  /// is a worker of the runtime from then on. 0: there is none.
  uint8_t submission = 0;
  uint8_t worker = 0;
};
std::span<const DecoderEntry> decoder_table();

/// What a producer's records are called. Apart from the decoders, because the library in the host
/// has no use for names: what only the command line asks for is not linked into it.
struct EventTable {
  ProducerId producer;
  const char* name;
  std::span<const EventInfo> events;
};
std::span<const EventTable> event_tables();

KnownKinds known_kinds();
/// By producer and event: the words that a record has at least; see fixed_words().
inline constexpr size_t kMaxProducers = 16;
using FixedWords = std::array<std::array<uint8_t, 256>, kMaxProducers>;
const FixedWords& fixed_words_by_kind();
/// Null for a kind that is in no table.
const EventInfo* find_event(uint16_t kind);
/// "annotations.range_begin", or "kind 0x0203" for one that is in no table.
std::string kind_name(uint16_t kind);
/// The event tables of all producers in Markdown, as docs/dev/capture-format.md repeats them.
std::string schema();

}  // namespace perseid
