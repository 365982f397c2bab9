// mpi/decode/messages.h: which message a send or a receive is, and the arrow it belongs to.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "mpi/events.h"
#include "timeline/drawing/model.h"

namespace perseid::mpi::decoding {

/// One end of a message, as the call named it: the peer is a rank of the communicator.
struct End {
  uint64_t communicator = 0;
  uint32_t peer = kProcNull;
  uint32_t tag = kAnyTag;
};

/// A receive, from the time it was posted.
struct Receive {
  End end;
  uint64_t arrow = 0;  // 0: any source or any tag will do; known when it is through
};

class MessageTable {
 public:
  explicit MessageTable(Model& model) : model_(&model) {}

  void add_communicator(uint32_t size, std::span<const uint64_t> words);
  void set_rank(uint32_t world_rank) noexcept { world_rank_ = world_rank; }

  /// The arrow that leaves with a send. None to MPI_PROC_NULL.
  bool send(const Thread& thread, const End& end, int64_t begin_ns, uint64_t bytes, FlowEnd& arrow);
  Receive post(const End& end);
  /// Draws the arrival of the message: an instant on the thread, with its arrow.
  void arrive(Thread& thread, int64_t at_ns, const Receive& receive, uint32_t source, uint32_t tag,
              uint64_t bytes);

  /// A probe has taken a message out of the queue, for a receive that names it.
  void match(uint64_t message, const End& end);
  Receive take_matched(uint64_t message);

  /// A receive that a later call waits for. An earlier receive of the same request must be
  /// complete: the program found out by MPI_Test, which is not recorded.
  void keep(Thread& thread, int64_t at_ns, uint64_t request, const Receive& receive);
  void done(Thread& thread, int64_t at_ns, uint64_t request, uint32_t source, uint32_t tag,
            uint64_t bytes);
  /// MPI has given a pending request another handle.
  void move(uint64_t request, uint64_t now);
  /// MPI ends: whatever was posted is through.
  void flush(Thread& thread, int64_t at_ns);

  /// The rank in MPI_COMM_WORLD, for people.
  uint32_t world_rank(uint64_t communicator, uint32_t rank) const;
  std::string communicator_name(uint64_t communicator) const;

  uint64_t sent() const noexcept { return sent_; }
  uint64_t received() const noexcept { return received_; }
  uint64_t without_known_end() const noexcept { return receives_without_status_ + waiting_.size(); }

 private:
  struct Communicator {
    uint32_t rank = kProcNull;
    uint32_t size = 0;
    /// Ranks in the world, in pieces as records have them, each by the rank of its first member:
    /// memory follows what is there, whatever size a record claims.
    std::map<uint32_t, std::vector<uint32_t>> members;
  };
  uint32_t own_rank(uint64_t communicator) const;
  void add_row(const Thread& thread, int64_t at_ns, uint64_t id, uint64_t bytes, uint32_t peer,
               bool is_receive);
  void complete_untracked(Thread& thread, int64_t at_ns, const Receive& receive);

  Model* model_;
  std::unordered_map<uint64_t, Communicator> communicators_;
  std::unordered_map<uint64_t, Receive> waiting_;  // by request
  std::unordered_map<uint64_t, Receive> matched_;  // by message
  uint32_t world_rank_ = kProcNull;
  uint64_t sent_ = 0;
  uint64_t received_ = 0;
  uint64_t receives_without_status_ = 0;
};

}  // namespace perseid::mpi::decoding
