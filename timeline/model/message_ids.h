// timeline/model/message_ids.h: names a message between two processes so that both find the name.
//
// Each rank is decoded alone, often in another process. What both ends of a message know is its
// channel (communicator, source, destination, tag), and MPI delivers the messages of a channel in
// the order in which they were sent. So channel and number within it make the message's id, and
// timelines of ranks may be joined in any way with their arrows intact.
#pragma once

#include <cstdint>

#include "timeline/model/id_table.h"

namespace perseid {

/// Set in ids that several processes give to the same message, each on its own.
inline constexpr uint64_t kSharedFlow = uint64_t{1} << 62;

enum class MessageLayer : uint8_t { kMpi, kStarpuMpi };

struct Channel {
  MessageLayer layer;
  uint64_t communicator;
  uint32_t source;  // ranks within the communicator
  uint32_t destination;
  int64_t tag;
};

class MessageIds {
 public:
  /// The id of the channel's next message, as its sender sees it.
  uint64_t send(const Channel& channel) { return next(channel, sent_); }
  /// The id of the channel's next message, as its receiver sees it. Ask in the order of posting.
  uint64_t expect(const Channel& channel) { return next(channel, expected_); }

 private:
  static uint64_t mix(uint64_t x) noexcept {
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
    x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
    return x ^ (x >> 31);
  }
  static uint64_t next(const Channel& channel, IdTable<uint64_t>& counts) {
    uint64_t key = mix(channel.communicator + static_cast<uint64_t>(channel.layer) + 1);
    key = mix(key ^ (uint64_t{channel.source} << 32 | channel.destination));
    key = mix(key ^ static_cast<uint64_t>(channel.tag));
    return kSharedFlow | (mix(key + ++counts[key] * 0x9e3779b97f4a7c15) >> 2);
  }

  IdTable<uint64_t> sent_;  // messages by channel
  IdTable<uint64_t> expected_;
};

}  // namespace perseid
