// timeline/walk/decoder_table.cpp: the one table of decoders.
#include <fmt/format.h>

#include <algorithm>

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

constexpr DecoderEntry kTable[] = {
    {ProducerId::kCore, "core", core::kEvents, core::make_decoder},
    {ProducerId::kAnnotations, "annotations", annotations::kEvents, annotations::make_decoder},
    {ProducerId::kStarpu, "starpu", starpu::kEvents, starpu::make_decoder, starpu::kSubmit,
     starpu::kWorkerThread},
    {ProducerId::kOmpt, "ompt", ompt::kEvents, ompt::make_decoder},
    {ProducerId::kCupti, "cupti", cupti::kEvents, cupti::make_decoder},
    {ProducerId::kOpencl, "opencl", opencl::kEvents, opencl::make_decoder},
    {ProducerId::kMpi, "mpi", mpi::kEvents, mpi::make_decoder},
};

constexpr bool has_sound_events() {
  return std::ranges::all_of(
      kTable, [](const DecoderEntry& entry) { return is_sound_table(entry.events); });
}
static_assert(has_sound_events(), "an event has a field without a name or place of its own");

FixedWords make_fixed_words() {
  FixedWords words{};
  for (const DecoderEntry& entry : kTable) {
    for (const EventInfo& event : entry.events) {
      words[static_cast<size_t>(entry.producer)][event.index] =
          static_cast<uint8_t>(fixed_words(event));
    }
  }
  return words;
}

}  // namespace

std::span<const DecoderEntry> decoder_table() { return kTable; }

KnownKinds known_kinds() {
  KnownKinds known{};
  for (const DecoderEntry& entry : kTable) {
    uint8_t& last = known[static_cast<size_t>(entry.producer)];
    for (const EventInfo& event : entry.events) last = std::max(last, event.index);
  }
  return known;
}

const FixedWords& fixed_words_by_kind() {
  static const FixedWords words = make_fixed_words();
  return words;
}

const EventInfo* find_event(uint16_t kind) {
  for (const DecoderEntry& entry : kTable) {
    for (const EventInfo& event : entry.events) {
      if (make_kind(entry.producer, event.index) == kind) return &event;
    }
  }
  return nullptr;
}

std::string kind_name(uint16_t kind) {
  for (const DecoderEntry& entry : kTable) {
    for (const EventInfo& event : entry.events) {
      if (make_kind(entry.producer, event.index) == kind) {
        return fmt::format("{}.{}", entry.name, event.name);
      }
    }
  }
  return fmt::format("kind 0x{:04x}", kind);
}

}  // namespace perseid
