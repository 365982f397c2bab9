// capture/format.h: the files of a capture. docs/dev/capture-format.md has them in prose.
//
//   NAME.capture/
//     manifest    text, written once at the start: who, where, which clock and settings
//     state       one mapped file: clock anchors, counters, how the session ended
//     strings     one mapped file: every name once
//     spool       chunks: a ChunkHeader and whole records, appended by the drainer
//     topology    text: processing unit -> core, NUMA node, package
//     modules     text: address range -> program or library, appended as they come into sight
//   RINGS/        the directory that the manifest names, in /dev/shm or the capture itself
//     N.ring      one mapped file per ring: RingHeader page, then `capacity` bytes of records
//
// Everything mapped survives the death of the process, so a capture is readable at any time.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace perseid {

inline constexpr uint32_t kFormatVersion = 1;

inline constexpr char kManifestFile[] = "manifest";
inline constexpr char kStateFile[] = "state";
inline constexpr char kStringsFile[] = "strings";
inline constexpr char kSpoolFile[] = "spool";
inline constexpr char kTopologyFile[] = "topology";
inline constexpr char kModulesFile[] = "modules";
inline constexpr char kRingSuffix[] = ".ring";
inline constexpr char kCaptureSuffix[] = ".capture";

/// Magic numbers spell their names in a hex dump.
inline constexpr uint64_t kChunkMagic = 0x6b6e756843445350;    // "PSDChunk"
inline constexpr uint64_t kRingMagic = 0x474e495244535250;     // "PRSDRING"
inline constexpr uint64_t kStateMagic = 0x5441545344535250;    // "PRSDSTAT"
inline constexpr uint64_t kStringsMagic = 0x5352545344535250;  // "PRSDSTRS"

/// One point in time on all three clocks.
struct ClockAnchor {
  uint64_t ticks;     // what records carry
  int64_t mono_ns;    // CLOCK_MONOTONIC
  int64_t real_ns;    // CLOCK_REALTIME, for joining hosts
  uint32_t spread;    // ticks between the two readings around mono_ns: the anchor's uncertainty
  uint32_t checksum;  // of the bytes before it
};
static_assert(sizeof(ClockAnchor) == 32);

/// Facts about the thread of a stream, repeated in every chunk so that none can be lost.
struct StreamInfo {
  uint32_t stream;    // 1, 2, ... in order of registration
  uint32_t tid;       // the kernel's thread id
  uint32_t name;      // string id of the thread's name, 0 if it has none
  int32_t bound_cpu;  // the only CPU it may run on, or -1
};
static_assert(sizeof(StreamInfo) == 16);

/// What a stream's thread turned out to be: the first of these that it showed counts. Beside
/// StreamInfo, in what was reserved before: captures of older recorders have 0 there.
enum class StreamRole : uint32_t {
  kUnknown = 0,    // the recorder did not note it
  kPlain = 1,      // nothing else so far
  kSubmitter = 2,  // hands out tasks
  kWorker = 3,     // a runtime's own, which executes them
  kRecorder = 4,   // Perseid's own thread: no thread of the program
};

/// Starts each chunk of the spool. `bytes` of whole records follow it.
struct ChunkHeader {
  uint64_t magic;
  uint64_t session;
  StreamInfo info;
  uint64_t base;         // position at which the stream starts
  uint64_t position;     // position of the first payload byte
  uint64_t first_ticks;  // of the first record
  ClockAnchor anchor;
  uint32_t bytes;
  uint32_t payload_checksum;
  StreamRole role;           // when the chunk was written
  uint32_t header_checksum;  // of the bytes before it
};
static_assert(sizeof(ChunkHeader) == 104);

inline constexpr uint32_t kMaxChunkBytes = 256 * 1024;

/// What a producer does when its ring is full.
enum class OnFull : uint32_t { kFlush = 0, kDrop = 1, kOverwrite = 2 };

/// In overwrite mode a ring is cut into this many blocks, and space is freed block by block.
inline constexpr uint32_t kRingBlocks = 64;
inline constexpr size_t kRingHeaderBytes = 4096;
inline constexpr uint64_t kMinRingBytes = 64 * 1024;
inline constexpr uint64_t kMaxRingBytes = 1024 * 1024 * 1024;

/// First page of a ring file. Positions only grow: the byte at position p is at
/// kRingHeaderBytes + p % capacity. Records in [tail, head) exist only here.
struct RingHeader {
  uint64_t magic;  // 0 while the rest of the first 64 bytes changes; then the ring is empty
  uint32_t version;
  OnFull on_full;
  uint64_t session;
  uint64_t capacity;  // a power of two
  StreamInfo info;    // stream 0: the ring has no owner
  uint64_t base;      // position at which this stream starts
  uint32_t reserved;
  uint32_t checksum;  // of the 60 bytes before it, with info.name as 0: names change

  alignas(64) std::atomic<uint64_t> head;  // written by the owner
  alignas(64) std::atomic<uint64_t> tail;  // written by the drainer; by the owner who overwrites
  std::atomic<StreamRole> role;            // written by the owner
  alignas(64) std::atomic<uint64_t> lost;  // records this stream's owner had to drop

  /// Overwrite mode: block_start[b] is the first record boundary in block b, so that a reader
  /// finds whole records although the oldest bytes are gone.
  alignas(64) std::atomic<uint64_t> block_start[kRingBlocks];
};
static_assert(sizeof(RingHeader) <= kRingHeaderBytes);
static_assert(offsetof(RingHeader, checksum) == 60);

/// Starts the strings file. A string with id i is a StringEntry at byte 8 * i.
struct StringsHeader {
  uint64_t magic;
  uint32_t version;
  uint32_t reserved;
  uint64_t session;
  std::atomic<uint64_t> used;  // bytes of the file in use, this header included
  uint64_t padding[4];
};
static_assert(sizeof(StringsHeader) == 64);

/// `length` bytes of text follow, then zeros up to a multiple of 8.
struct StringEntry {
  uint32_t length;
  uint32_t checksum;  // of the text
};
inline constexpr uint32_t kMaxStringBytes = 4096;

enum class SessionEnd : uint32_t {
  kRunning = 0,   // or killed: there was no time to write more
  kFinished = 1,  // exit, return from main, unloading
  kSignal = 2,    // a signal that the session could catch; see end_signal
};

/// Offset to the clock of the job's reference rank, from one exchange of messages over MPI.
struct ClockSync {
  int64_t mono_ns;     // when, on this process's own CLOCK_MONOTONIC
  int64_t offset_ns;   // to be added to it to get the reference's CLOCK_MONOTONIC
  int64_t error_ns;    // half of the shortest round trip: the truth is at most this far away
  uint32_t reference;  // the rank whose clock it is
  uint32_t checksum;   // of the bytes before it; no exchange has 0 everywhere
};
static_assert(sizeof(ClockSync) == 32);
inline constexpr size_t kMaxClockSyncs = 2;  // at MPI_Init and at MPI_Finalize

inline constexpr size_t kStateAnchorsAt = 4096;
inline constexpr uint32_t kMaxAnchors = 1024;
inline constexpr size_t kStateBytes = kStateAnchorsAt + kMaxAnchors * sizeof(ClockAnchor);

/// First page of the state file; `anchors` ClockAnchors follow at kStateAnchorsAt.
struct StateHeader {
  uint64_t magic;
  uint32_t version;
  uint32_t pid;
  uint64_t session;
  std::atomic<SessionEnd> end;
  std::atomic<uint32_t> end_signal;
  std::atomic<uint32_t> anchors;
  std::atomic<uint32_t> streams;            // threads that got a stream
  std::atomic<uint64_t> lost_without_ring;  // records of threads that could not get a ring
  std::atomic<uint64_t> nested;             // records refused because Perseid was already running
  std::atomic<uint64_t> names_lost;         // names that did not fit into the strings file
  std::atomic<uint64_t> spool_errors;       // chunks that could not be written when first tried
  std::atomic<uint64_t> spooled_bytes;
  std::atomic<int32_t> last_errno;  // of the latest spool error
  std::atomic<uint32_t> mpi_size;   // of MPI_COMM_WORLD; 0: not known from MPI
  std::atomic<uint32_t> mpi_rank;
  uint32_t reserved;
  ClockSync syncs[kMaxClockSyncs];
  std::atomic<uint64_t> overwritten_bytes;  // of streams that a flight recorder gave up as a whole
  std::atomic<uint64_t> overwritten_ticks;  // the last of those ended here
};
static_assert(sizeof(StateHeader) <= kStateAnchorsAt);

}  // namespace perseid
