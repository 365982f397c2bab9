// starpu_hooks/decode/acquisitions.h: the program holds data, and has a place in their order.
#pragma once

#include <cstdint>
#include <vector>

#include "starpu_hooks/decode/context.h"

namespace perseid::starpu::decoding {

/// To the order of data an acquisition is a task: it begins when the data are there and ends when
/// they are released. Those that nobody waits for (callbacks, invalidations) have no slice.
class Acquisitions {
 public:
  explicit Acquisitions(Parts& parts) : parts_(&parts) {}

  /// starpu_data_acquire is called, and waits. 0: the access has no place in the order.
  TaskId begin_wait(const Thread& thread, int64_t at_ns, uint64_t handle, uint32_t mode);
  /// The data are there.
  void end_wait(const Thread& thread, int64_t at_ns, TaskId acquisition);
  /// starpu_data_acquire_cb and similar: a callback will have the data, and release it.
  void request(const Thread& thread, int64_t at_ns, uint64_t handle, uint32_t mode);
  /// The oldest acquisition of the handle ends. Returns it, 0 if none is known.
  TaskId release(const Thread& thread, int64_t at_ns, uint64_t handle);
  void clear(int64_t at_ns);

 private:
  struct Held {
    Tasks::Ref ref;
    TaskId id;
    uint64_t handle;
  };

  /// `is_reported`: the program's thread reports when it has the data.
  TaskId add(const Thread& thread, int64_t at_ns, uint64_t handle, uint32_t mode, bool is_reported);
  void end(Held held, int64_t at_ns, ThreadId thread);

  Parts* parts_;
  std::vector<Held> held_;  // in order of their calls; few at a time
};

}  // namespace perseid::starpu::decoding
