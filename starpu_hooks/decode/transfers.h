// starpu_hooks/decode/transfers.h: copies between memory nodes, and memory on each of them.
#pragma once

#include <cstdint>
#include <unordered_map>

#include "starpu_hooks/decode/context.h"
#include "starpu_hooks/decode/payload.h"
#include "timeline/model/id_table.h"

namespace perseid::starpu::decoding {

class Transfers {
 public:
  explicit Transfers(Parts& parts) : parts_(&parts) {}

  void begin(Thread& thread, int64_t at_ns, uint32_t nodes, const Payload& words);
  void start_part(Thread& thread, const Payload& words);
  void end(Thread& thread, int64_t at_ns, uint32_t result, const Payload& words);
  void end_part(int64_t at_ns, uint32_t error, const Payload& words);

  void allocate(int64_t at_ns, uint32_t node, const Payload& words);
  void free(int64_t at_ns, uint32_t node, const Payload& words);

  void close_all(int64_t end_ns);

 private:
  struct Copy {
    Lane* lane = nullptr;
    Lane::Handle slice = 0;
    uint64_t bytes = 0;
    DataId data = 0;
    ThreadId thread = 0;
    uint32_t nodes = 0;
    int64_t begin_ns = 0;
    uint32_t open_parts = 0;  // asynchronous ones
    uint64_t device_ns = 0;
    bool has_returned = false;
    bool is_open = false;
  };

  Lane& lane(uint32_t nodes);
  void close(uint32_t copy, int64_t at_ns);

  Parts* parts_;
  std::unordered_map<uint32_t, Lane> lanes_;  // by the pair of nodes
  std::vector<Copy> copies_;
  std::vector<uint32_t> free_copies_;
  std::unordered_map<const Thread*, uint32_t> open_by_thread_;  // index in copies_
  IdTable<uint32_t> part_of_;                                   // by part: index in copies_
};

}  // namespace perseid::starpu::decoding
