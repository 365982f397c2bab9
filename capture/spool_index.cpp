// capture/spool_index.cpp: walks the spool from header to header.
#include "capture/spool_index.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <string_view>
#include <utility>

#include "capture/checksum.h"

namespace perseid {
namespace {

constexpr size_t kScanBytes = 1 << 20;
constexpr size_t kMaxTorn = 1000;
constexpr uint64_t kMaxMismatchedBytes = uint64_t{256} << 20;
/// Far beyond any run, and far from where adding a chunk's length would overflow.
constexpr uint64_t kMaxPosition = uint64_t{1} << 62;

bool read_header(const File& file, uint64_t offset, ChunkHeader& header) noexcept {
  return file.read_at(offset, &header, sizeof(header)) == sizeof(header);
}

}  // namespace

SpoolIndex::SpoolIndex(File file, uint64_t session, bool had_failed_writes, DamageLog& damages,
                       AnchorSet& anchors)
    : file_(std::move(file)),
      session_(session),
      had_failed_writes_(had_failed_writes),
      damages_(&damages),
      anchors_(&anchors) {
  extend();
}

bool SpoolIndex::is_sound(const ChunkHeader& header) const noexcept {
  return header.magic == kChunkMagic &&
         header.header_checksum == checksum(&header, offsetof(ChunkHeader, header_checksum)) &&
         (session_ == 0 || header.session == session_) && header.info.stream != 0 &&
         header.bytes > 0 && header.bytes <= kMaxChunkBytes && header.bytes % 8 == 0 &&
         header.position % 8 == 0 && header.position < kMaxPosition &&
         header.base <= header.position && header.base % 8 == 0;
}

bool SpoolIndex::payload_matches(uint64_t offset, const ChunkHeader& header) {
  // Consecutive headers may all claim the largest payload: each byte would be read over
  // and over.
  if (mismatched_bytes_ > kMaxMismatchedBytes + file_.size()) return false;
  std::vector<char> payload(header.bytes);
  const bool matches = file_.read_at(offset, payload.data(), payload.size()) == payload.size() &&
                       checksum(payload.data(), payload.size()) == header.payload_checksum;
  if (!matches) mismatched_bytes_ += header.bytes;
  return matches;
}

uint64_t SpoolIndex::find_header(uint64_t from, uint64_t end) {
  char magic[sizeof(kChunkMagic)];
  std::memcpy(magic, &kChunkMagic, sizeof(magic));
  const std::string_view needle(magic, sizeof(magic));
  if (from >= end) return end;
  std::vector<char> block(static_cast<size_t>(std::min<uint64_t>(kScanBytes, end - from)));
  while ((from = file_.next_data(from)) + sizeof(ChunkHeader) <= end) {
    const size_t got = file_.read_at(from, block.data(), block.size());
    if (got < needle.size()) break;
    const std::string_view seen(block.data(), got);
    for (size_t at = seen.find(needle); at != seen.npos; at = seen.find(needle, at + 1)) {
      ChunkHeader header;
      if (read_header(file_, from + at, header) && is_sound(header)) return from + at;
    }
    from += got - (needle.size() - 1);  // the magic may lie across two blocks
  }
  return end;
}

void SpoolIndex::add(uint64_t offset, const ChunkHeader& header) {
  if (session_ == 0) session_ = header.session;
  StreamChunks& stream = streams_[header.info.stream];
  if (stream.chunks.empty()) stream.base = header.base;
  stream.base = std::min(stream.base, header.base);
  const ChunkRef chunk{offset, header.position, header.first_ticks, header.bytes,
                       header.payload_checksum};
  if (stream.chunks.empty() || stream.furthest <= chunk.position) {
    stream.info = header.info;
    stream.role = header.role;
    stream.furthest = chunk.position;
  } else {
    stream.is_sorted = false;
  }
  stream.chunks.push_back(chunk);
  ++chunk_count_;
  payload_bytes_ += header.bytes;
  anchors_->add(header.anchor);
}

void SpoolIndex::sort() {
  for (auto& [number, stream] : streams_) {
    if (std::exchange(stream.is_sorted, true)) continue;
    std::stable_sort(stream.chunks.begin(), stream.chunks.end(),
                     [](const ChunkRef& a, const ChunkRef& b) { return a.position < b.position; });
  }
}

void SpoolIndex::report_rubble(uint64_t from, uint64_t to) {
  if (had_failed_writes_ && to - from < sizeof(ChunkHeader)) return;
  damages_->add({DamageKind::kSpool, 0, from,
                 fmt::format("spool: {} unreadable bytes at offset {}", to - from, from)});
}

void SpoolIndex::extend() {
  scan();
  sort();
}

void SpoolIndex::scan() {
  torn_bytes_ = 0;
  if (std::exchange(last_is_torn_, false)) torn_chunks_.pop_back();  // it may be whole by now
  const uint64_t end = file_.size();
  while (scanned_ + sizeof(ChunkHeader) <= end) {
    ChunkHeader header;
    if (!read_header(file_, scanned_, header)) return;
    if (!is_sound(header)) {
      const uint64_t from = scanned_;
      scanned_ = find_header(from + 1, end);
      report_rubble(from, scanned_);
      continue;
    }
    const uint64_t payload = scanned_ + sizeof(header);
    const uint64_t next = payload + header.bytes;
    uint64_t magic = 0;
    const bool is_whole =
        next <= end && (file_.read_at(next, &magic, sizeof(magic)) != sizeof(magic) ||
                        magic == kChunkMagic || payload_matches(payload, header));
    if (is_whole) {
      add(payload, header);
      scanned_ = next;
      continue;
    }
    const uint64_t after = find_header(payload, end);
    if (torn_chunks_.size() < kMaxTorn) {
      torn_chunks_.push_back({header.info.stream, header.position, header.bytes});
      last_is_torn_ = next > end && after == end;
      if (last_is_torn_) return;
    }
    scanned_ = after;
  }
  torn_bytes_ = scanned_ < end ? end - scanned_ : 0;
}

}  // namespace perseid
