// tests/doubles/cuda/driver.h: what the parts of the pretended CUDA share.
#pragma once

#include <atomic>
#include <cstdint>

#include "tests/doubles/cuda/fake_cuda.h"
#include "tests/doubles/cupti/control.h"

#define FAKE_API extern "C" [[gnu::visibility("default")]]

struct FakeStream {
  uint32_t id;
  uint32_t device;
  std::atomic<uint64_t> busy_until{0};
};

namespace fake_cuda {

inline constexpr uint32_t kContextBase = 1;  // device 0 has context 1, device 1 has context 2

extern const perseid::cupti::DoubleControl* g_cupti;  // null: nobody listens
extern thread_local uint32_t t_device;

/// What cuInit does: the driver loads the tool that the variable names. Once only.
void initialize();

/// Nanoseconds of the clock that records use.
uint64_t now();

template <class Record>
void deliver(const Record& record, uint64_t end) {
  if (g_cupti) g_cupti->record(record.kind, &record, end);
}

/// A call of the runtime's, seen by who subscribed to it; it may call the driver in turn.
class Call {
 public:
  Call(perseid::cupti::Domain domain, uint32_t id, const char* function);
  ~Call();
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;

 private:
  perseid::cupti::Domain domain_;
  uint32_t id_;
  const char* function_;

 public:
  uint32_t correlation;
  int result = cudaSuccess;
};

}  // namespace fake_cuda
