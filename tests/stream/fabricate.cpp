// tests/stream/fabricate.cpp: the bytes of a capture, as docs/dev/capture-format.md says they are.
#include "tests/stream/fabricate.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <fstream>
#include <sstream>

#include "capture/checksum.h"
#include "capture/core_events.h"
#include "capture/manifest.h"

namespace perseid::test {
namespace {

using annotations::ArgType;

template <class T>
void put(std::string& bytes, size_t offset, const T& value) {
  if (bytes.size() < offset + sizeof(value)) bytes.resize(offset + sizeof(value));
  std::memcpy(bytes.data() + offset, &value, sizeof(value));
}

Words scalar_argument(uint32_t key, ArgType type, uint64_t bits) {
  return {annotations::arg_word(key, type, 0), bits};
}

}  // namespace

ClockAnchor anchor_at(int64_t ns, uint32_t spread) {
  ClockAnchor anchor{ticks_at(ns), kStartMonoNs + ns, 1'700'000'000'000'000'000 + ns, spread, 0};
  anchor.checksum = checksum(&anchor, offsetof(ClockAnchor, checksum));
  return anchor;
}

Words operator+(Words a, const Words& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

void write_file(const std::string& path, std::string_view bytes) {
  std::ofstream(path, std::ios::binary | std::ios::trunc)
      .write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

std::string read_file(const std::string& path) {
  std::ostringstream bytes;
  bytes << std::ifstream(path, std::ios::binary).rdbuf();
  return bytes.str();
}

StreamBuilder& StreamBuilder::record(int64_t at_ns, uint16_t kind, uint32_t arg, const Words& words,
                                     uint8_t flags) {
  const RecordHeader header{ticks_at(at_ns), arg, kind, static_cast<uint8_t>(words.size()), flags};
  uint64_t bits[2];
  std::memcpy(bits, &header, sizeof(bits));
  if (starts_chunk_) chunks_.push_back({words_.size(), header.ticks});
  starts_chunk_ = false;
  words_.insert(words_.end(), bits, bits + 2);
  words_.insert(words_.end(), words.begin(), words.end());
  last_ns_ = at_ns;
  return *this;
}

StreamBuilder& StreamBuilder::begin(int64_t at_ns, std::string_view name, const Words& arguments) {
  return record(at_ns, annotations::kind(annotations::kBegin), capture_->string(name), arguments);
}
StreamBuilder& StreamBuilder::end(int64_t at_ns, uint32_t around, const Words& arguments) {
  return record(at_ns, annotations::kind(annotations::kEnd), around, arguments);
}
StreamBuilder& StreamBuilder::instant(int64_t at_ns, std::string_view name,
                                      const Words& arguments) {
  return record(at_ns, annotations::kind(annotations::kInstant), capture_->string(name), arguments);
}
StreamBuilder& StreamBuilder::counter(int64_t at_ns, std::string_view name, double value) {
  return record(at_ns, annotations::kind(annotations::kCounter), capture_->string(name),
                {std::bit_cast<uint64_t>(value)});
}
StreamBuilder& StreamBuilder::flow_out(int64_t at_ns, uint64_t id) {
  return record(at_ns, annotations::kind(annotations::kFlowOut), 0, {id});
}
StreamBuilder& StreamBuilder::flow_in(int64_t at_ns, uint64_t id) {
  return record(at_ns, annotations::kind(annotations::kFlowIn), 0, {id});
}
StreamBuilder& StreamBuilder::lane_begin(int64_t at_ns, std::string_view lane, uint64_t slice,
                                         std::string_view name, const Words& arguments) {
  return record(at_ns, annotations::kind(annotations::kLaneBegin), capture_->string(name),
                Words{capture_->string(lane), slice} + arguments);
}
StreamBuilder& StreamBuilder::lane_end(int64_t at_ns, std::string_view lane, uint64_t slice,
                                       const Words& arguments) {
  return record(at_ns, annotations::kind(annotations::kLaneEnd), 0,
                Words{capture_->string(lane), slice} + arguments);
}
StreamBuilder& StreamBuilder::phase(int64_t at_ns, std::string_view name) {
  return record(at_ns, annotations::kind(annotations::kPhase),
                name.empty() ? 0 : capture_->string(name));
}
StreamBuilder& StreamBuilder::lost(int64_t at_ns, uint32_t depth, uint64_t count, int64_t first_ns,
                                   uint64_t fewest) {
  return record(at_ns, core::kind(core::kLost), depth, {count, ticks_at(first_ns), fewest});
}

StreamBuilder& StreamBuilder::cut() {
  starts_chunk_ = true;
  return *this;
}
StreamBuilder& StreamBuilder::ring_from_here() {
  spool_end_ = ring_begin_ = words_.size();
  return cut();
}
StreamBuilder& StreamBuilder::ring_holds_all() {
  ring_begin_ = 0;
  return *this;
}

CaptureBuilder::CaptureBuilder() : path_(directory_ / "run.capture") {
  std::filesystem::create_directory(path_);
  manifest = {{"session", fmt::format("{:016x}", kSession)},
              {"version", "0.1.0"},
              {"pid", "4242"},
              {"exe", "/opt/app/solver"},
              {"command", "solver --fast"},
              {"host", "node7"},
              {"clock", "tsc"},
              {"settings", "on_full=flush"},
              {"rings", path_},
              {"out", directory_ / "run.json"}};
  anchors = {anchor_at(0), anchor_at(1'000'000'000)};
  strings_.resize(sizeof(StringsHeader));
}

uint32_t CaptureBuilder::string(std::string_view text) {
  const auto known = ids_.find(text);
  if (known != ids_.end()) return known->second;
  const auto id = static_cast<uint32_t>(strings_.size() / 8);
  const StringEntry entry{static_cast<uint32_t>(text.size()), checksum(text.data(), text.size())};
  put(strings_, strings_.size(), entry);
  strings_ += text;
  strings_.resize((strings_.size() + 7) / 8 * 8);
  ids_.emplace(text, id);
  return id;
}

StreamBuilder& CaptureBuilder::stream(uint32_t number, uint32_t tid, std::string_view name,
                                      int32_t bound_cpu) {
  streams_.emplace_back(StreamInfo{number, tid, name.empty() ? 0 : string(name), bound_cpu}, *this);
  return streams_.back();
}

Words CaptureBuilder::argument(std::string_view key, int64_t value) {
  return scalar_argument(string(key), ArgType::kInt, static_cast<uint64_t>(value));
}
Words CaptureBuilder::argument(std::string_view key, uint64_t value) {
  return scalar_argument(string(key), ArgType::kUint, value);
}
Words CaptureBuilder::argument(std::string_view key, double value) {
  return scalar_argument(string(key), ArgType::kDouble, std::bit_cast<uint64_t>(value));
}
Words CaptureBuilder::argument(std::string_view key, bool value) {
  return scalar_argument(string(key), ArgType::kBool, value ? 1 : 0);
}
Words CaptureBuilder::pointer(std::string_view key, uint64_t address) {
  return scalar_argument(string(key), ArgType::kPointer, address);
}
Words CaptureBuilder::argument(std::string_view key, std::string_view value) {
  Words words = {
      annotations::arg_word(string(key), ArgType::kText, static_cast<uint32_t>(value.size()))};
  words.resize(1 + (value.size() + 7) / 8);
  std::memcpy(words.data() + 1, value.data(), value.size());
  return words;
}

void CaptureBuilder::write() {
  const uint64_t spooled_bytes = write_spool();
  write_file(file(kManifestFile), format_manifest({manifest.begin(), manifest.end()}));
  write_strings();
  write_rings();
  write_state(spooled_bytes);
  if (!topology.empty()) write_file(file(kTopologyFile), topology);
}

void CaptureBuilder::write_state(uint64_t spooled_bytes) {
  std::string state(kStateBytes, '\0');
  put(state, offsetof(StateHeader, magic), kStateMagic);
  put(state, offsetof(StateHeader, version), kFormatVersion);
  put(state, offsetof(StateHeader, pid), pid);
  put(state, offsetof(StateHeader, session), kSession);
  put(state, offsetof(StateHeader, end), end);
  put(state, offsetof(StateHeader, end_signal), end_signal);
  put(state, offsetof(StateHeader, anchors), static_cast<uint32_t>(anchors.size()));
  put(state, offsetof(StateHeader, streams), static_cast<uint32_t>(streams_.size()));
  put(state, offsetof(StateHeader, lost_without_ring), lost_without_ring);
  put(state, offsetof(StateHeader, nested), nested);
  put(state, offsetof(StateHeader, names_lost), names_lost);
  put(state, offsetof(StateHeader, spool_errors), spool_errors);
  put(state, offsetof(StateHeader, spooled_bytes), spooled_bytes);
  put(state, offsetof(StateHeader, mpi_rank), mpi_rank);
  put(state, offsetof(StateHeader, mpi_size), mpi_size);
  for (size_t i = 0; i < syncs.size(); ++i) {
    ClockSync sync = syncs[i];
    sync.checksum = checksum(&sync, offsetof(ClockSync, checksum));
    put(state, offsetof(StateHeader, syncs) + i * sizeof(ClockSync), sync);
  }
  for (size_t i = 0; i < anchors.size(); ++i) {
    put(state, kStateAnchorsAt + i * sizeof(ClockAnchor), anchors[i]);
  }
  write_file(file(kStateFile), state);
}

void CaptureBuilder::write_strings() {
  put(strings_, offsetof(StringsHeader, magic), kStringsMagic);
  put(strings_, offsetof(StringsHeader, version), kFormatVersion);
  put(strings_, offsetof(StringsHeader, session), kSession);
  put(strings_, offsetof(StringsHeader, used), uint64_t{strings_.size()});
  write_file(file(kStringsFile), strings_);
}

/// Chunk by chunk: benchmarks make large ones.
uint64_t CaptureBuilder::write_spool() const {
  std::ofstream spool(file(kSpoolFile), std::ios::binary | std::ios::trunc);
  uint64_t written = 0;
  for (const StreamBuilder& stream : streams_) {
    for (size_t i = 0; i < stream.chunks_.size(); ++i) {
      const auto& chunk = stream.chunks_[i];
      const size_t chunk_end =
          i + 1 < stream.chunks_.size() ? stream.chunks_[i + 1].from : stream.words_.size();
      if (chunk.from >= stream.spool_end_) break;
      if (std::count(stream.dropped_chunks.begin(), stream.dropped_chunks.end(), i) > 0) continue;
      const std::string_view payload(reinterpret_cast<const char*>(&stream.words_[chunk.from]),
                                     8 * (chunk_end - chunk.from));
      ChunkHeader header{};
      header.magic = kChunkMagic;
      header.session = kSession;
      header.info = stream.info_;
      header.role = stream.role;
      header.base = stream.base;
      header.position = stream.base + 8 * chunk.from;
      header.first_ticks = chunk.first_ticks;
      header.anchor = anchor_at(stream.last_ns_);
      header.bytes = static_cast<uint32_t>(payload.size());
      header.payload_checksum = checksum(payload.data(), payload.size());
      header.header_checksum = checksum(&header, offsetof(ChunkHeader, header_checksum));
      spool.write(reinterpret_cast<const char*>(&header), sizeof(header));
      spool.write(payload.data(), static_cast<std::streamsize>(payload.size()));
      written += sizeof(header) + payload.size();
    }
  }
  return written;
}

void CaptureBuilder::write_rings() {
  for (const StreamBuilder& stream : streams_) {
    if (stream.ring_begin_ == SIZE_MAX) continue;
    std::string ring(kRingHeaderBytes + stream.ring_capacity, '\0');
    const uint64_t head = stream.end_position();
    uint64_t tail = stream.base + 8 * stream.ring_begin_;
    put(ring, offsetof(RingHeader, magic), kRingMagic);
    put(ring, offsetof(RingHeader, version), kFormatVersion);
    put(ring, offsetof(RingHeader, on_full), stream.on_full);
    put(ring, offsetof(RingHeader, session), kSession);
    put(ring, offsetof(RingHeader, capacity), stream.ring_capacity);
    StreamInfo unnamed = stream.info_;
    unnamed.name = 0;
    put(ring, offsetof(RingHeader, info), unnamed);
    put(ring, offsetof(RingHeader, base), stream.base);
    put(ring, offsetof(RingHeader, checksum),
        checksum(ring.data(), offsetof(RingHeader, checksum)));
    put(ring, offsetof(RingHeader, info), stream.info_);
    put(ring, offsetof(RingHeader, head), head);
    put(ring, offsetof(RingHeader, tail), tail);
    put(ring, offsetof(RingHeader, role), stream.role);
    put(ring, offsetof(RingHeader, lost), stream.lost_in_ring);
    for (uint64_t at = tail; at < head; at += 8) {
      put(ring, kRingHeaderBytes + at % stream.ring_capacity,
          stream.words_[(at - stream.base) / 8]);
    }
    write_file(file(fmt::format("{}{}", stream.info_.stream, kRingSuffix)), ring);
  }
}

}  // namespace perseid::test
