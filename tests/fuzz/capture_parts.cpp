// tests/fuzz/capture_parts.cpp: packs, unpacks and seals the files of a capture.
#include "tests/fuzz/capture_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <iterator>

#include "capture/checksum.h"
#include "capture/format.h"
#include "tests/stream/fabricate.h"

namespace perseid::test {
namespace {

template <class T>
void store(std::string& bytes, size_t at, const T& value) {
  std::memcpy(bytes.data() + at, &value, sizeof(value));
}

void seal(ClockAnchor& anchor) {
  anchor.checksum = checksum(&anchor, offsetof(ClockAnchor, checksum));
}

void seal_spool(std::string& spool) {
  for (size_t at = 0; at + sizeof(ChunkHeader) <= spool.size();) {
    auto header = load<ChunkHeader>(spool, at);
    const size_t left = spool.size() - at - sizeof(header);
    header.magic = kChunkMagic;
    header.session = kSession;
    header.bytes = static_cast<uint32_t>(std::min<size_t>(header.bytes, left)) & ~7u;
    header.payload_checksum = checksum(spool.data() + at + sizeof(header), header.bytes);
    seal(header.anchor);
    header.header_checksum = checksum(&header, offsetof(ChunkHeader, header_checksum));
    store(spool, at, header);
    at += sizeof(header) + header.bytes;
  }
}

void seal_state(std::string& state) {
  for (size_t i = 0; i < kMaxClockSyncs; ++i) {
    const size_t at = offsetof(StateHeader, syncs) + i * sizeof(ClockSync);
    if (at + sizeof(ClockSync) > state.size()) break;
    auto sync = load<ClockSync>(state, at);
    sync.checksum = checksum(&sync, offsetof(ClockSync, checksum));
    store(state, at, sync);
  }
  for (size_t at = kStateAnchorsAt; at + sizeof(ClockAnchor) <= state.size();
       at += sizeof(ClockAnchor)) {
    auto anchor = load<ClockAnchor>(state, at);
    seal(anchor);
    store(state, at, anchor);
  }
}

void seal_strings(std::string& strings) {
  for (size_t at = sizeof(StringsHeader); at + sizeof(StringEntry) <= strings.size();) {
    auto entry = load<StringEntry>(strings, at);
    const size_t left = strings.size() - at - sizeof(entry);
    const size_t length = std::min<size_t>(entry.length, left);
    entry.checksum = checksum(strings.data() + at + sizeof(entry), length);
    store(strings, at, entry);
    at += sizeof(entry) + (length + 7) / 8 * 8;
  }
}

/// A ring's data is packed right behind its header; in the file it has a page and a capacity.
std::string unfold_ring(std::string_view packed, bool is_sealed) {
  std::string ring(kRingHeaderBytes + kMinRingBytes, '\0');
  const size_t header = std::min(packed.size(), sizeof(RingHeader));
  std::memcpy(ring.data(), packed.data(), header);
  const size_t data = std::min<size_t>(packed.size() - header, kMinRingBytes);
  std::memcpy(ring.data() + kRingHeaderBytes, packed.data() + header, data);
  if (is_sealed) {
    store(ring, offsetof(RingHeader, capacity), kMinRingBytes);
    const auto info = load<StreamInfo>(ring, offsetof(RingHeader, info));
    StreamInfo unnamed = info;
    unnamed.name = 0;
    store(ring, offsetof(RingHeader, info), unnamed);
    store(ring, offsetof(RingHeader, checksum),
          checksum(ring.data(), offsetof(RingHeader, checksum)));
    store(ring, offsetof(RingHeader, info), info);
  }
  return ring;
}

std::string fold_ring(const std::string& ring) {
  std::string data = ring.substr(kRingHeaderBytes);
  data.resize(data.find_last_not_of('\0') + 1);
  return ring.substr(0, sizeof(RingHeader)) + data;
}

void seal_manifest(std::string& manifest) {
  const size_t last = manifest.rfind("checksum ");
  if (last == std::string::npos) return;
  manifest.resize(last);
  manifest += fmt::format("checksum {:08x}\n", checksum(manifest.data(), manifest.size()));
}

/// Sums are made for one session.
void adopt_session(std::string_view name, std::string& bytes) {
  const auto set = [&](size_t at) {
    if (bytes.size() >= at + sizeof(kSession)) store(bytes, at, kSession);
  };
  if (name == kStateFile) set(offsetof(StateHeader, session));
  if (name == kStringsFile) set(offsetof(StringsHeader, session));
  if (name.ends_with(kRingSuffix)) set(offsetof(RingHeader, session));
  if (name == kManifestFile) {
    const size_t from = bytes.find("\nsession ");
    const size_t to = bytes.find('\n', from + 1);
    if (to < bytes.size())
      bytes.replace(from, to - from, fmt::format("\nsession {:016x}", kSession));
  }
}

/// The files that were loaded are of no interest, and reading them would take most of the time.
std::string without_files(const std::string& modules) {
  std::string text;
  for (size_t from = 0, to; (to = modules.find('\n', from)) != std::string::npos; from = to + 1) {
    const std::string_view line(modules.data() + from, to - from);
    text += fmt::format("{}/none\n", line.substr(0, line.find('/')));
  }
  return text;
}

}  // namespace

CaptureParts split(std::string_view input) {
  CaptureParts split;
  if (input.empty()) return split;
  split.flags = static_cast<uint8_t>(input[0]);
  input.remove_prefix(1);
  while (input.size() >= 4) {
    const auto byte = [&](size_t i) { return static_cast<size_t>(static_cast<uint8_t>(input[i])); };
    const auto number = static_cast<uint8_t>(byte(0) % std::size(kParts));
    const size_t length = std::min(byte(1) | byte(2) << 8 | byte(3) << 16, input.size() - 4);
    split.parts.push_back({number, std::string(input.substr(4, length))});
    input.remove_prefix(4 + length);
  }
  return split;
}

std::string join(const CaptureParts& parts) {
  std::string input(1, static_cast<char>(parts.flags));
  for (const auto& [number, bytes] : parts.parts) {
    input += static_cast<char>(number);
    for (int shift = 0; shift < 24; shift += 8) input += static_cast<char>(bytes.size() >> shift);
    input += bytes;
  }
  return input;
}

std::string pack(const std::string& directory, uint8_t flags) {
  constexpr size_t kMaxBytes = 8 << 10;
  CaptureParts parts{flags, {}};
  for (size_t part = 0; part < std::size(kParts); ++part) {
    const std::string path = directory + "/" + kParts[part];
    if (!std::filesystem::exists(path)) continue;
    std::string bytes = read_file(path);
    adopt_session(kParts[part], bytes);
    if (path.ends_with(kRingSuffix)) bytes = fold_ring(bytes);
    if (path.ends_with(kModulesFile)) bytes = without_files(bytes);
    if (path.ends_with(kStateFile) || path.ends_with(kStringsFile)) {
      bytes.resize(bytes.find_last_not_of('\0') + 1);
    }
    bytes.resize(std::min(bytes.size(), kMaxBytes));
    parts.parts.push_back({static_cast<uint8_t>(part), std::move(bytes)});
  }
  return join(parts);
}

uint8_t unpack(std::string_view input, const std::string& directory) {
  const CaptureParts parts = split(input);
  const bool is_sealed = (parts.flags & kSealSums) != 0;
  for (const CaptureParts::Part& part : parts.parts) {
    const std::string name(part.name());
    std::string bytes = part.bytes;
    if (name.ends_with(kRingSuffix)) {
      bytes = unfold_ring(bytes, is_sealed);
    } else if (is_sealed) {
      if (name == kSpoolFile) seal_spool(bytes);
      if (name == kStateFile) {
        bytes.resize(std::max(bytes.size(), size_t{kStateBytes}));  // packing took zeros at its end
        seal_state(bytes);
      }
      if (name == kStringsFile) seal_strings(bytes);
      if (name == kManifestFile) seal_manifest(bytes);
    }
    write_file(directory + "/" + name, bytes);
  }
  return parts.flags;
}

}  // namespace perseid::test
