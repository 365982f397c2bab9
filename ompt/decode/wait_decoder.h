// ompt/decode/wait_decoder.h: barriers, taskwait, taskgroup, reductions, and who holds or wants a
// mutex.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <unordered_map>

#include "ompt/decode/context.h"

namespace perseid::ompt {

class WaitDecoder {
 public:
  explicit WaitDecoder(Context& context) : context_(&context) {}

  void sync_begin(ThreadStack& stack, Moment now, uint32_t kind, std::span<const uint64_t> words);
  void sync_end(ThreadStack& stack, Moment now, uint32_t kind);
  void group_wait_begin(ThreadStack& stack, Moment now);
  void group_wait_end(ThreadStack& stack, Moment now);
  void mutex_acquire(ThreadStack& stack, Moment now, uint32_t kind,
                     std::span<const uint64_t> words);
  void mutex_acquired(ThreadStack& stack, Moment now, uint32_t kind,
                      std::span<const uint64_t> words);
  void mutex_released(ThreadStack& stack, Moment now, std::span<const uint64_t> words);
  /// A thread that waits for a mutex at the end never got it.
  void finish(int64_t end_ns);

 private:
  struct Wish {
    uint64_t mutex = 0;
    uint32_t kind = 0;
    uint64_t code = 0;
    Moment since{};
  };

  void report(ThreadStack& stack, const Wish& wish, int64_t end_ns, std::string_view name);
  void show_last(ThreadStack& stack, Moment now, WaitedTasks& waited);

  Context* context_;
  std::unordered_map<ThreadStack*, Wish> wishes_;
};

}  // namespace perseid::ompt
