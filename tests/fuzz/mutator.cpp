// tests/fuzz/mutator.cpp: changes fields and repairs checksums, so that deeper code is reached.
#include "tests/fuzz/mutator.h"

#include <algorithm>
#include <cctype>
#include <cstring>
#include <iterator>
#include <string>

#include "capture/format.h"
#include "capture/record.h"

namespace perseid::test {
namespace {

constexpr uint64_t kNasty[] = {0,
                               1,
                               2,
                               7,
                               8,
                               0x7f,
                               0x80,
                               0xff,
                               0xffff,
                               0x10000,
                               0x7fffffff,
                               0x80000000,
                               0xffffffff,
                               0x100000000,
                               uint64_t{1} << 40,
                               uint64_t{1} << 61,
                               uint64_t{1} << 62,
                               uint64_t{1} << 63,
                               ~uint64_t{0},
                               ~uint64_t{0} - 7,
                               4096,
                               65536,
                               262144};
constexpr const char* kTexts[] = {
    "\"",        "\\",       "\n",   "\xff\xfe",         "\xed\xa0\x80",
    "</script>", "\x1b[31m", "%s%n", "\xf4\x90\x80\x80", "/dev/zero"};
constexpr uint16_t kProducers = 7;

/// Nothing where it does not fit.
template <class T>
void store(std::string& bytes, size_t at, const T& value) {
  if (at + sizeof(value) <= bytes.size()) std::memcpy(bytes.data() + at, &value, sizeof(value));
}

size_t record_bytes(const std::string& bytes, size_t at) {
  return sizeof(RecordHeader) + 8 * size_t{load<RecordHeader>(bytes, at).words};
}

}  // namespace

uint64_t Mutator::nasty() {
  if (!once_in(3)) return kNasty[below(std::size(kNasty))];
  return once_in(2) ? random_() : below(100);
}

void Mutator::mutate(CaptureParts& parts) {
  if (once_in(8)) parts.flags = static_cast<uint8_t>(below(kAllFlags + 1));
  if (parts.parts.empty()) return;
  for (uint64_t changes = 1 + below(4); changes > 0; --changes) {
    auto& [number, bytes] = parts.parts[below(parts.parts.size())];
    const std::string_view name = kParts[number];
    if (once_in(12)) {
      damage(bytes);
    } else if (name == kSpoolFile) {
      change_spool(bytes);
    } else if (name == kStringsFile) {
      change_strings(bytes);
    } else if (name.ends_with(kRingSuffix)) {
      change_ring(bytes);
    } else if (name == kStateFile) {
      change_state(bytes);
    } else {
      change_text(bytes);
    }
  }
}

void Mutator::damage(std::string& bytes) {
  if (bytes.empty()) {
    bytes.assign(below(200), static_cast<char>(random_()));
    return;
  }
  const size_t at = below(bytes.size());
  switch (below(6)) {
    case 0:
      bytes.resize(at);
      return;
    case 1:
      for (uint64_t i = 1 + below(8); i > 0; --i) {
        bytes[below(bytes.size())] ^= static_cast<char>(1 << below(8));
      }
      return;
    case 2:
      return store(bytes, at & ~size_t{7}, nasty());
    case 3:
      bytes.erase(at, 1 + below(200));
      return;
    case 4:
      bytes.insert(below(bytes.size()), bytes.substr(at, below(400)));
      return;
    default:
      return change_text(bytes);
  }
}

void Mutator::change_spool(std::string& spool) {
  std::vector<size_t> headers;
  for (size_t at = 0; at + sizeof(ChunkHeader) <= spool.size();) {
    headers.push_back(at);
    at += sizeof(ChunkHeader) + load<ChunkHeader>(spool, at).bytes;
  }
  if (headers.empty()) return damage(spool);
  const size_t at = headers[below(headers.size())];
  const size_t bytes = load<ChunkHeader>(spool, at).bytes;
  if (once_in(3)) return change_header(spool, at);
  if (once_in(8)) {
    spool.insert(headers[below(headers.size())], spool.substr(at, sizeof(ChunkHeader) + bytes));
    return;
  }
  const size_t payload = at + sizeof(ChunkHeader);
  change_records(spool, payload, std::min(spool.size(), payload + bytes));
}

void Mutator::change_header(std::string& spool, size_t at) {
  auto header = load<ChunkHeader>(spool, at);
  switch (below(6)) {
    case 0:
      header.info.stream = static_cast<uint32_t>(once_in(2) ? below(8) : nasty());
      break;
    case 1:
      header.position = once_in(2) ? nasty() & ~uint64_t{7} : header.position + 8 * below(64);
      break;
    case 2:
      header.base = nasty() & ~uint64_t{7};
      break;
    case 3:
      header.anchor.mono_ns = static_cast<int64_t>(nasty());
      header.anchor.real_ns = static_cast<int64_t>(nasty());
      if (once_in(2)) header.anchor.ticks = nasty();
      break;
    case 4:
      header.bytes = static_cast<uint32_t>(once_in(2) ? nasty() : header.bytes - 8 * below(8));
      break;
    default:
      header.info.name = static_cast<uint32_t>(nasty());
      header.info.tid = static_cast<uint32_t>(nasty());
      header.info.bound_cpu = static_cast<int32_t>(nasty());
      break;
  }
  store(spool, at, header);
}

void Mutator::change_ring(std::string& ring) {
  switch (below(6)) {
    case 0:
      return store(ring, offsetof(RingHeader, head), nasty());
    case 1:
      return store(ring, offsetof(RingHeader, tail), nasty());
    case 2:
      return store(ring, offsetof(RingHeader, block_start) + 8 * below(64), nasty());
    case 3:
      return store(ring, 8 * below(8), nasty());
    default:
      return change_records(ring, sizeof(RingHeader), ring.size());
  }
}

void Mutator::change_records(std::string& bytes, size_t from, size_t to) {
  std::vector<size_t> records;
  for (size_t at = from; at + sizeof(RecordHeader) <= to; at += record_bytes(bytes, at)) {
    records.push_back(at);
  }
  if (records.empty()) return;
  for (uint64_t changes = 1 + below(6); changes > 0; --changes) {
    const size_t at = records[below(records.size())];
    change_record(bytes, at, records[below(records.size())], to);
  }
}

void Mutator::change_record(std::string& bytes, size_t at, size_t other, size_t to) {
  auto header = load<RecordHeader>(bytes, at);
  const size_t word = at + sizeof(header) + 8 * below(header.words);
  switch (below(8)) {
    case 0:  // near another, at its time, or anywhere
      header.ticks = once_in(2) ? load<RecordHeader>(bytes, other).ticks
                                : header.ticks + below(2'000'000) - 1'000'000;
      break;
    case 1:
      header.arg = static_cast<uint32_t>(nasty());
      break;
    case 2:  // any kind of its own or of another producer
      header.kind = static_cast<uint16_t>((once_in(2) ? header.kind >> 8 : below(kProducers)) << 8 |
                                          (1 + below(0x60)));
      break;
    case 3:
      header.words = static_cast<uint8_t>(once_in(2) ? below(12) : below(256));
      break;
    case 4:
      if (record_bytes(bytes, other) == record_bytes(bytes, at) &&
          std::max(at, other) + record_bytes(bytes, at) <= to) {
        std::swap_ranges(bytes.begin() + static_cast<std::ptrdiff_t>(at),
                         bytes.begin() + static_cast<std::ptrdiff_t>(at + record_bytes(bytes, at)),
                         bytes.begin() + static_cast<std::ptrdiff_t>(other));
      }
      return;
    default:
      if (header.words == 0 || word + 8 > to) return;
      return store(bytes, word, once_in(3) ? load<uint64_t>(bytes, other) : nasty());
  }
  store(bytes, at, header);
}

void Mutator::change_strings(std::string& strings) {
  std::vector<size_t> entries;
  for (size_t at = sizeof(StringsHeader); at + sizeof(StringEntry) <= strings.size();) {
    const size_t length = load<StringEntry>(strings, at).length;
    if (length > kMaxStringBytes) break;
    entries.push_back(at);
    at += sizeof(StringEntry) + (length + 7) / 8 * 8;
  }
  if (entries.empty()) return damage(strings);
  const size_t at = entries[below(entries.size())];
  auto entry = load<StringEntry>(strings, at);
  const size_t room = std::min<size_t>(entry.length, strings.size() - at - sizeof(entry));
  const std::string_view text = kTexts[below(std::size(kTexts))];
  switch (below(3)) {
    case 0:
      entry.length = static_cast<uint32_t>(nasty());
      return store(strings, at, entry);
    case 1:
      return store(strings, offsetof(StringsHeader, used), nasty());
    default:
      std::memcpy(strings.data() + at + sizeof(entry), text.data(), std::min(room, text.size()));
  }
}

void Mutator::change_state(std::string& state) {
  const bool is_header = once_in(2);
  const size_t words = std::min(state.size(), is_header ? sizeof(StateHeader) : state.size()) / 8;
  if (words > 0) store(state, 8 * below(words), nasty());
}

void Mutator::change_text(std::string& text) {
  if (text.empty()) return;
  const size_t at = below(text.size());
  switch (below(6)) {
    case 0:
      text[at] = static_cast<char>(random_());
      return;
    case 1:
      text.insert(at, std::to_string(nasty()));
      return;
    case 2:
      text.erase(at, 1 + below(20));
      return;
    case 3:
      text.insert(at, text.substr(below(text.size()), 1 + below(100)));
      return;
    case 4:
      text.insert(at, kTexts[below(std::size(kTexts))]);
      return;
    default:
      for (size_t i = at; i < text.size(); ++i) {
        if (std::isdigit(static_cast<unsigned char>(text[i])) == 0) continue;
        text[i] = static_cast<char>('0' + below(10));
        return;
      }
  }
}

}  // namespace perseid::test
