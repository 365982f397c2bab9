// bench/naive_tracer.h: what one writes first: a lock, a clock call and a growing vector.
#pragma once

#include <chrono>
#include <cstdint>
#include <mutex>
#include <vector>

namespace perseid::bench {

class NaiveTracer {
 public:
  void record(uint64_t kind, uint64_t first, uint64_t second, uint64_t third) {
    const std::lock_guard lock(mutex_);
    const auto now = std::chrono::steady_clock::now().time_since_epoch().count();
    records_.push_back({now, kind, first, second, third});
  }

  /// Keeps the memory: what is measured is the tracer at its best, with no page faults.
  void forget() {
    const std::lock_guard lock(mutex_);
    records_.clear();
  }

 private:
  struct Record {
    int64_t ns;
    uint64_t kind, first, second, third;
  };
  std::mutex mutex_;
  std::vector<Record> records_;
};

}  // namespace perseid::bench
