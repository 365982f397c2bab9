// cupti/decode/memory.h: memory in use on CUDA devices, as counters.
//
// Each thread of the program has its own buffers in CUPTI, so a release may come before the
// allocation that it ends. Changes wait here until nothing earlier is likely to come.
#pragma once

#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <variant>
#include <vector>

#include "cupti/numbers.h"
#include "timeline/drawing/device.h"

namespace perseid::cupti {

struct Allocation {
  std::string_view kind;  // "device", "pinned"; outlives the model
  uint64_t address = 0;
  uint64_t bytes = 0;
};

/// What is known of a memory pool at one time.
struct Pool {
  uint64_t address = 0;
  uint64_t bytes = 0;       // that the pool holds
  uint64_t used_bytes = 0;  // that the program has of them; kUnknownBytes before CUDA 11.5
};

class DeviceMemory {
 public:
  void change(Device& device, int64_t at_ns, MemoryOperation operation, Allocation allocation);
  /// A pool of 0 bytes is empty or destroyed.
  void set_pool(Device& device, int64_t at_ns, Pool pool);
  /// Counts everything that still waits.
  void finish();

 private:
  static constexpr size_t kMaxWaiting = 4096;

  struct Release {
    uint64_t address;
  };
  struct Change {
    int64_t at_ns;
    uint64_t order;  // of arrival, where times are equal
    Device* device;
    std::variant<Allocation, Release, Pool> what;
  };
  struct Later {
    bool operator()(const Change& a, const Change& b) const noexcept {
      return a.at_ns != b.at_ns ? a.at_ns > b.at_ns : a.order > b.order;
    }
  };
  struct Live {
    Device* device;
    Allocation allocation;
  };
  using Pools = std::unordered_map<uint64_t, Pool>;

  void wait(Change change);
  void count_first();
  void count(const Change& change, const Allocation& allocation);
  void count(const Change& change, const Release& release);
  void count(const Change& change, const Pool& pool);

  std::vector<Change> waiting_;  // a heap, the earliest on top
  uint64_t arrived_ = 0;
  std::unordered_map<uint64_t, Live> live_;  // by address: CUDA's are unique in a process
  std::unordered_map<Device*, Pools> pools_;
};

}  // namespace perseid::cupti
