// capture/session_state.cpp: copies the fields out of the state file's first page.
#include "capture/session_state.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "capture/clock_limits.h"

namespace perseid {
namespace {

/// The file's struct holds atomics for its writers; a reader has a copy and takes plain values.
template <class T>
void take(const std::array<std::byte, sizeof(StateHeader)>& page, size_t offset, T& value) {
  std::memcpy(&value, page.data() + offset, sizeof(value));
}

}  // namespace

RecordedState read_state(const File& file) {
  RecordedState state;
  std::array<std::byte, sizeof(StateHeader)> page{};
  if (!file.is_open() || file.read_at(0, page.data(), page.size()) != page.size()) {
    state.problem = file.is_open() ? "it is cut short" : "it cannot be opened";
    return state;
  }
  uint64_t magic = 0;
  uint32_t version = 0;
  uint32_t anchors = 0;
  take(page, offsetof(StateHeader, magic), magic);
  take(page, offsetof(StateHeader, version), version);
  if (magic != kStateMagic || version != kFormatVersion) {
    state.problem = magic != kStateMagic
                        ? "it does not start with PRSDSTAT"
                        : fmt::format("its version is {}, not {}", version, kFormatVersion);
    return state;
  }
  take(page, offsetof(StateHeader, pid), state.pid);
  take(page, offsetof(StateHeader, session), state.session);
  take(page, offsetof(StateHeader, end), state.end);
  take(page, offsetof(StateHeader, end_signal), state.end_signal);
  take(page, offsetof(StateHeader, anchors), anchors);
  take(page, offsetof(StateHeader, streams), state.streams);
  take(page, offsetof(StateHeader, lost_without_ring), state.lost_without_ring);
  take(page, offsetof(StateHeader, nested), state.nested);
  take(page, offsetof(StateHeader, names_lost), state.names_lost);
  take(page, offsetof(StateHeader, spool_errors), state.spool_errors);
  take(page, offsetof(StateHeader, spooled_bytes), state.spooled_bytes);
  take(page, offsetof(StateHeader, last_errno), state.last_errno);

  take(page, offsetof(StateHeader, mpi_size), state.mpi_size);
  take(page, offsetof(StateHeader, mpi_rank), state.mpi_rank);
  take(page, offsetof(StateHeader, overwritten_bytes), state.overwritten_bytes);
  take(page, offsetof(StateHeader, overwritten_ticks), state.overwritten_ticks);
  for (size_t i = 0; i < kMaxClockSyncs; ++i) {
    ClockSync sync;
    take(page, offsetof(StateHeader, syncs) + i * sizeof(sync), sync);
    if (is_sound(sync)) state.syncs.push_back(sync);
  }

  state.anchors.resize(std::min(anchors, kMaxAnchors));
  const size_t wanted = state.anchors.size() * sizeof(ClockAnchor);
  const size_t got = file.read_at(kStateAnchorsAt, state.anchors.data(), wanted);
  state.anchors.resize(got / sizeof(ClockAnchor));
  std::erase_if(state.anchors, [](const ClockAnchor& anchor) { return !is_sound(anchor); });
  if (got != wanted || file.size() < kStateBytes) {
    state.problem = "its clock anchors are cut short";
  } else if (anchors > kMaxAnchors) {
    state.problem = fmt::format("it claims {} clock anchors", anchors);
  } else if (state.end > SessionEnd::kSignal) {
    state.problem = "it names an unknown end of the session";
    state.end = SessionEnd::kRunning;
  }
  return state;
}

}  // namespace perseid
