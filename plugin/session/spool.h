// plugin/session/spool.h: the file to which rings are emptied, chunk by chunk.
//
// The drainer alone writes (plugin/session/own_descriptors.h). A chunk cut short by a full disk or
// SIGKILL is skipped by the reader, and its records are still in the ring, whose tail moves only
// after a whole write.
#pragma once

#include <cstdint>

#include "capture/format.h"
#include "plugin/record/ring.h"
#include "plugin/session/own_directory.h"
#include "plugin/session/state_file.h"

namespace perseid {

class Spool {
 public:
  /// False and errno if the file cannot be made.
  bool open(OwnDirectory& directory, uint64_t session, StateFile& counters) noexcept;

  /// Moves whole records of `ring` out, up to `at_most` bytes. False if they could not be
  /// written; they stay in the ring.
  bool empty(Ring& ring, uint64_t at_most) noexcept;

  /// empty() for a ring whose owner has ended: records its last losses, too. The caller has
  /// taken the owner's place.
  bool empty_retired(Ring& ring) noexcept;

  /// empty() at the end of the session, while owners may still run: their last losses are recorded
  /// after their last records, where the owners themselves would do it.
  bool empty_at_end(Ring& ring) noexcept;

  /// Starts write-back of what is new and drops from the page cache what is on disk, so that a
  /// long run does not push the host's own files out. Waits for the disk if `may_wait`, or if the
  /// disk lags far behind.
  void bound_page_cache(bool may_wait) noexcept;

  /// The latest write failed, or the session is over: waiting for room is useless. From any
  /// thread, without a system call.
  bool is_failing() const noexcept { return is_failing_.load(std::memory_order_relaxed); }

  /// Next attempts are made at once, not after the pause that follows a failure.
  void retry_now() noexcept { retry_ns_ = 0; }
  /// Later calls find the file closed and write nothing.
  void close_file() noexcept;
  /// close_file(), and releases the memory; only for a session that could not begin.
  void close() noexcept;

 private:
  bool append(const Ring& ring, Ring::Span span) noexcept;
  bool append_chunk(const Ring& ring, uint64_t position, const std::byte* payload,
                    uint64_t bytes) noexcept;
  bool write_chunk(ChunkHeader& header, const std::byte* payload) noexcept;
  bool has_own_file() noexcept;
  void fail(int error) noexcept;

  OwnDirectory* directory_ = nullptr;
  int fd_ = -1;
  uint64_t session_ = 0;
  uint64_t device_ = 0;
  uint64_t inode_ = 0;
  uint64_t written_back_ = 0;  // bytes whose write-back has been started
  StateFile* counters_ = nullptr;
  std::byte* copy_ = nullptr;  // overwrite mode: records are copied before they can change
  uint64_t dropped_ = 0;       // bytes that were taken out of the page cache
  int64_t retry_ns_ = 0;
  bool has_reported_ = false;
  bool is_closed_ = false;
  std::atomic<bool> is_failing_{false};
};

}  // namespace perseid
