// timeline/walk/decoder_table.cpp: the one table of decoders.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "annotations/decode/decoder.h"
#include "annotations/events.h"
#include "capture/core_events.h"
#include "cupti/decode/decoder.h"
#include "cupti/events.h"
#include "mpi/decode/decoder.h"
#include "mpi/events.h"
#include "ompt/decode/decoder.h"
#include "ompt/events.h"
#include "opencl/decode/decoder.h"
#include "opencl/events.h"
#include "starpu_hooks/decode/decoder.h"
#include "starpu_hooks/events.h"
#include "timeline/walk/core_decoder.h"
#include "timeline/walk/decoder.h"

namespace perseid {
namespace {

struct Row {
  DecoderEntry decoder;
  const char* name;
  std::span<const EventInfo> events;
};

constexpr Row kRows[] = {
    {{ProducerId::kCore, core::make_decoder}, "core", core::kEvents},
    {{ProducerId::kAnnotations, annotations::make_decoder}, "annotations", annotations::kEvents},
    {{ProducerId::kStarpu, starpu::make_decoder, starpu::kSubmit, starpu::kWorkerThread},
     "starpu",
     starpu::kEvents},
    {{ProducerId::kOmpt, ompt::make_decoder}, "ompt", ompt::kEvents},
    {{ProducerId::kCupti, cupti::make_decoder}, "cupti", cupti::kEvents},
    {{ProducerId::kOpencl, opencl::make_decoder}, "opencl", opencl::kEvents},
    {{ProducerId::kMpi, mpi::make_decoder}, "mpi", mpi::kEvents},
};
static_assert(std::ranges::all_of(kRows, [](const Row& row) { return is_sound_table(row.events); }),
              "an event has a field without a name or place of its own");
static_assert(std::ranges::all_of(kRows, [](const Row& row) {
  return static_cast<size_t>(row.decoder.producer) < kMaxProducers;
}));

// Made of the rows when this file is compiled; the rows themselves are in no program.
constexpr auto kDecoders = [] {
  std::array<DecoderEntry, std::size(kRows)> decoders{};
  std::ranges::transform(kRows, decoders.begin(), &Row::decoder);
  return decoders;
}();
constexpr auto kEventTables = [] {
  std::array<EventTable, std::size(kRows)> tables{};
  std::ranges::transform(kRows, tables.begin(), [](const Row& row) {
    return EventTable{row.decoder.producer, row.name, row.events};
  });
  return tables;
}();
constexpr KnownKinds kKnownKinds = [] {
  KnownKinds known{};
  for (const Row& row : kRows) {
    uint8_t& last = known[static_cast<size_t>(row.decoder.producer)];
    for (const EventInfo& event : row.events) last = std::max(last, event.index);
  }
  return known;
}();
constexpr FixedWords kFixedWords = [] {
  FixedWords words{};
  for (const Row& row : kRows) {
    for (const EventInfo& event : row.events) {
      words[static_cast<size_t>(row.decoder.producer)][event.index] =
          static_cast<uint8_t>(fixed_words(event));
    }
  }
  return words;
}();

}  // namespace

std::span<const DecoderEntry> decoder_table() { return kDecoders; }
std::span<const EventTable> event_tables() { return kEventTables; }
KnownKinds known_kinds() { return kKnownKinds; }
const FixedWords& fixed_words_by_kind() { return kFixedWords; }

const EventInfo* find_event(uint16_t kind) {
  for (const EventTable& table : kEventTables) {
    for (const EventInfo& event : table.events) {
      if (make_kind(table.producer, event.index) == kind) return &event;
    }
  }
  return nullptr;
}

std::string kind_name(uint16_t kind) {
  for (const EventTable& table : kEventTables) {
    for (const EventInfo& event : table.events) {
      if (make_kind(table.producer, event.index) == kind) {
        return fmt::format("{}.{}", table.name, event.name);
      }
    }
  }
  return fmt::format("kind 0x{:04x}", kind);
}

}  // namespace perseid
