// capture/spool_index.cpp: walks the spool from header to header.
#include "capture/spool_index.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <string_view>

#include "capture/checksum.h"

namespace perseid {
namespace {

constexpr size_t kScanBytes = 1 << 20;
/// Far beyond any run, and far from where adding a chunk's length would overflow.
constexpr uint64_t kMaxPosition = uint64_t{1} << 62;

bool read_header(const File& file, uint64_t offset, ChunkHeader& header) noexcept {
  return file.read_at(offset, &header, sizeof(header)) == sizeof(header);
}

}  // namespace

SpoolIndex::SpoolIndex(File file, uint64_t session, DamageLog& damages, AnchorSet& anchors)
    : file_(std::move(file)), session_(session), damages_(&damages), anchors_(&anchors) {
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
  std::vector<char> payload(header.bytes);
  return file_.read_at(offset, payload.data(), payload.size()) == payload.size() &&
         checksum(payload.data(), payload.size()) == header.payload_checksum;
}

uint64_t SpoolIndex::find_header(uint64_t from, uint64_t end) {
  char magic[sizeof(kChunkMagic)];
  std::memcpy(magic, &kChunkMagic, sizeof(magic));
  const std::string_view needle(magic, sizeof(magic));
  std::vector<char> block(kScanBytes);
  while (from + sizeof(ChunkHeader) <= end) {
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
  if (stream.chunks.empty() || stream.chunks.back().position <= chunk.position) {
    stream.info = header.info;
    stream.chunks.push_back(chunk);
  } else {
    const auto behind = std::upper_bound(
        stream.chunks.begin(), stream.chunks.end(), chunk.position,
        [](uint64_t position, const ChunkRef& other) { return position < other.position; });
    stream.chunks.insert(behind, chunk);
  }
  ++chunk_count_;
  payload_bytes_ += header.bytes;
  anchors_->add(header.anchor);
}

void SpoolIndex::extend() {
  torn_chunk_.reset();
  const uint64_t end = file_.size();
  while (scanned_ + sizeof(ChunkHeader) <= end) {
    ChunkHeader header;
    if (!read_header(file_, scanned_, header)) break;
    uint64_t bad_from = scanned_;
    if (is_sound(header)) {
      const uint64_t payload = scanned_ + sizeof(header);
      const uint64_t next = payload + header.bytes;
      if (next > end) {
        // What a process killed in write() leaves; its ring still holds the bytes. Chunks
        // behind it can only exist when somebody else appended.
        if (find_header(payload, end) == end) {
          torn_chunk_ = {header.info, header.base, header.position, header.bytes, next - end};
          break;
        }
      } else {
        uint64_t magic = 0;
        const bool is_last = file_.read_at(next, &magic, sizeof(magic)) != sizeof(magic);
        if (is_last || magic == kChunkMagic || payload_matches(payload, header)) {
          add(payload, header);
          scanned_ = next;
          continue;
        }
        bad_from = scanned_;
      }
    }
    scanned_ = find_header(scanned_ + 1, end);
    damages_->add(
        {DamageKind::kSpool, 0, bad_from,
         fmt::format("spool: {} unreadable bytes at offset {}", scanned_ - bad_from, bad_from)});
  }
  torn_bytes_ = torn_chunk_ || scanned_ > end ? 0 : end - scanned_;
}

}  // namespace perseid
