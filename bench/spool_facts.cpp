// bench/spool_facts.cpp: reads chunk and record headers directly, without the reader.
#include "bench/spool_facts.h"

#include <cstring>
#include <fstream>
#include <stdexcept>
#include <vector>

#include "capture/core_events.h"
#include "capture/format.h"

namespace perseid::bench {

SpoolFacts read_spool_facts(const std::string& capture) {
  const std::string path = capture + '/' + kSpoolFile;
  std::ifstream file(path, std::ios::binary);
  SpoolFacts facts;
  ChunkHeader header;
  std::vector<char> payload;
  while (file.read(reinterpret_cast<char*>(&header), sizeof header)) {
    payload.resize(header.bytes);
    if (header.magic != kChunkMagic || !file.read(payload.data(), header.bytes))
      throw std::runtime_error(path + " is not whole");
    facts.bytes += sizeof header + header.bytes;
    for (size_t at = 0; at < payload.size();) {
      RecordHeader record;
      std::memcpy(&record, payload.data() + at, sizeof record);
      ++facts.records;
      if (record.kind == core::kind(core::kSelfFlush)) ++facts.self_flushes;
      at += sizeof record + 8u * record.words;
    }
  }
  return facts;
}

}  // namespace perseid::bench
