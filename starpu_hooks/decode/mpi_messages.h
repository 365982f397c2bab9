// starpu_hooks/decode/mpi_messages.h: StarPU-MPI's messages, and the arrows between ranks.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>

#include "starpu_hooks/decode/context.h"
#include "starpu_hooks/decode/payload.h"

namespace perseid::starpu::decoding {

/// A message is a bar from its post to its completion, below the threads. The arrow leaves where
/// the program posted the send and ends where the receive's completion was reported.
class MpiMessages {
 public:
  explicit MpiMessages(Parts& parts) : parts_(&parts) {}

  void post(Thread& thread, int64_t at_ns, uint32_t flags, const Payload& words);
  void request(const Payload& words);
  void done(Thread& thread, int64_t at_ns, uint32_t flags, const Payload& words);
  void finish(int64_t end_ns);

 private:
  /// Programs post thousands of receives in advance: more rows than this help nobody.
  static constexpr size_t kMaxRows = 16;

  struct Message {
    bool is_receive;
    uint32_t peer;
    int64_t tag;
    uint64_t bytes;
    std::string data;
    uint64_t arrow = 0;
    int64_t posted_ns = 0;
    TaskId task = 0;  // that posted it
    std::optional<Lane::Handle> bar;
  };
  Lane& lane(bool is_receive);
  void add_row(const Message& message, const Thread& thread, int64_t end_ns);

  Parts* parts_;
  std::optional<Lane> lanes_[2];  // sends, receives
  std::unordered_map<uint64_t, Message> open_;
  std::unordered_map<uint64_t, uint64_t> requests_;
  uint64_t sent_ = 0;
  uint64_t received_ = 0;
  Thread* progress_thread_ = nullptr;
};

}  // namespace perseid::starpu::decoding
