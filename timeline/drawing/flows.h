// timeline/drawing/flows.h: arrows that the program named by ids of its own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "timeline/drawing/slice.h"
#include "timeline/model/id_hash.h"

namespace perseid {

/// Programs use an id again once its arrow has arrived; readers want ids that are unique over
/// the whole trace. Remembers the latest kMaxOpen outgoing ends: an id nobody ever takes up
/// must not stay in memory.
class Flows {
 public:
  static constexpr size_t kMaxOpen = 262144;

  /// Ids are given from `first` on.
  explicit Flows(uint64_t first = 0) noexcept : last_id_(first) {}

  FlowEnd out(uint64_t user_id, int64_t at_ns, int64_t source_begin_ns);
  /// Nothing if no outgoing end of that id is known; counted.
  std::optional<FlowEnd> in(uint64_t user_id, int64_t at_ns);

  /// The outgoing end of an arrow that a decoder draws without an id of the program's. It keeps
  /// id and begin for the ends that come in.
  FlowEnd start(int64_t at_ns, int64_t source_begin_ns) noexcept {
    return {++last_id_, true, at_ns, source_begin_ns};
  }

  uint64_t unmatched() const noexcept { return unmatched_; }

 private:
  /// Sources are numbered from 1 on as they come; number n stands at n modulo the size of the
  /// ring. Ids share chains, each from its latest source to its earliest: a search ends where
  /// its chain leaves the ring, so nothing ever has to be taken out.
  struct Source {
    uint64_t user_id = 0;
    uint64_t id = 0;
    int64_t begin_ns = 0;
    uint64_t previous = 0;  // in its chain; 0: none
  };
  struct Chain {
    uint64_t newest_id = 0;
    uint64_t newest = 0;  // 0: none
  };

  bool is_remembered(uint64_t number) const noexcept {
    return number != 0 && newest_ - number < latest_.size();
  }
  Source& source(uint64_t number) noexcept { return latest_[number & (latest_.size() - 1)]; }
  Chain& chain(uint64_t user_id) noexcept {
    return chains_[id_hash(user_id) & (chains_.size() - 1)];
  }
  void link(Source made, uint64_t number) noexcept;
  void grow();

  std::vector<Source> latest_;  // a ring; its size is a power of two
  std::vector<Chain> chains_;
  uint64_t newest_ = 0;
  uint64_t last_id_;
  uint64_t unmatched_ = 0;
};

}  // namespace perseid
