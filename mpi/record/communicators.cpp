// mpi/record/communicators.cpp: a lock-free table from handle to identity; changes take a lock.
#include "mpi/record/communicators.h"

#include <sched.h>

#include <algorithm>
#include <atomic>

#include "capture/checksum.h"
#include "mpi/record/hook.h"

namespace perseid::mpi {

namespace {

struct Entry {
  std::atomic<Word> handle{0};  // 0: free
  uint64_t identity = 0;
  uint32_t children = 0;
  std::atomic<bool> is_announced{false};
};

constexpr size_t kSlots = 1024;
constexpr Word kForgotten = ~Word{0};
constinit Entry g_entries[kSlots]{};
constinit Entry g_world{};
constinit std::atomic<bool> g_is_changing{false};

class ChangeLock {
 public:
  ChangeLock() noexcept {
    while (g_is_changing.exchange(true, std::memory_order_acquire)) sched_yield();
  }
  ~ChangeLock() { g_is_changing.store(false, std::memory_order_release); }
  ChangeLock(const ChangeLock&) = delete;
  ChangeLock& operator=(const ChangeLock&) = delete;
};

uint64_t mixed(uint64_t a, uint64_t b) noexcept {
  uint64_t x = (a ^ (b + 0x9e3779b97f4a7c15 + (a << 6) + (a >> 2))) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 29)) * 0x94d049bb133111eb;
  return (x ^ (x >> 32)) | 2;  // neither none nor the world
}

size_t slot_of(Word handle) noexcept {
  return static_cast<size_t>((handle * 0x9e3779b97f4a7c15) >> 54);
}

Entry* find(const MpiApi& mpi, Word handle) noexcept {
  if (handle == mpi.comm_world) return &g_world;
  for (size_t i = 0, at = slot_of(handle); i < kSlots; ++i, at = (at + 1) % kSlots) {
    const Word seen = g_entries[at].handle.load(std::memory_order_acquire);
    if (seen == handle) return &g_entries[at];
    if (seen == 0) return nullptr;
  }
  return nullptr;
}

/// The ranks of a communicator by their numbers in the world, a chunk at a time.
class Members {
 public:
  Members(const MpiApi& mpi, Word comm) noexcept : mpi_(mpi) {
    alignas(8) Word world = 0;
    alignas(8) Word group = 0;
    if (mpi.PMPI_Comm_size(comm, &size_) != 0 || mpi.PMPI_Comm_rank(comm, &rank_) != 0 ||
        mpi.PMPI_Comm_group(comm, &group) != 0)
      return;
    group_ = mpi.handle_at(reinterpret_cast<Word>(&group));
    if (mpi.PMPI_Comm_group(mpi.comm_world, &world) == 0) {
      world_ = mpi.handle_at(reinterpret_cast<Word>(&world));
      is_known_ = true;
    }
  }
  ~Members() {
    if (world_) free(world_);
    if (group_) free(group_);
  }
  Members(const Members&) = delete;
  Members& operator=(const Members&) = delete;

  bool is_known() const noexcept { return is_known_; }
  int size() const noexcept { return size_; }
  int rank() const noexcept { return rank_; }
  static constexpr int kChunk = 256;
  /// World ranks of [first, first + count).
  void translate(int first, int count, int (&ranks)[kChunk]) const noexcept {
    int asked[kChunk];
    for (int i = 0; i < count; ++i) asked[i] = first + i;
    mpi_.PMPI_Group_translate_ranks(group_, count, asked, world_, ranks);
  }

 private:
  void free(Word handle) noexcept {
    alignas(8) Word kept = handle;
    mpi_.PMPI_Group_free(&kept);
  }
  const MpiApi& mpi_;
  Word group_ = 0;
  Word world_ = 0;
  int size_ = 0;
  int rank_ = 0;
  bool is_known_ = false;
};

bool is_inter(const MpiApi& mpi, Word comm) noexcept {
  int flag = 0;
  return mpi.PMPI_Comm_test_inter(comm, &flag) == 0 && flag != 0;
}

uint64_t hash_of(const Members& members) noexcept {
  uint64_t hash = static_cast<uint64_t>(members.size());
  for (int first = 0; first < members.size(); first += Members::kChunk) {
    int ranks[Members::kChunk];
    const int count = std::min(Members::kChunk, members.size() - first);
    members.translate(first, count, ranks);
    hash = mixed(hash, checksum(ranks, static_cast<size_t>(count) * sizeof(int)));
  }
  return hash;
}

void announce(const MpiApi& mpi, Word comm, uint64_t identity) noexcept {
  const Members members(mpi, comm);
  if (!members.is_known()) return;
  for (int first = 0; first < members.size(); first += Members::kChunk) {
    int ranks[Members::kChunk] = {};
    const int count = std::min(Members::kChunk, members.size() - first);
    members.translate(first, count, ranks);
    uint64_t words[2 + Members::kChunk / 2];
    words[0] = identity;
    words[1] = halves(static_cast<uint32_t>(members.rank()), static_cast<uint32_t>(first));
    const int pairs = (count + 1) / 2;
    for (int i = 0; i < pairs; ++i)
      words[2 + i] =
          halves(static_cast<uint32_t>(ranks[2 * i]),
                 2 * i + 1 < count ? static_cast<uint32_t>(ranks[2 * i + 1]) : kProcNull);
    emit_words(kind(kCommunicator), static_cast<uint32_t>(members.size()), words,
               2 + static_cast<size_t>(pairs));
  }
}

/// Under the lock. Null when the table is full.
Entry* add(const MpiApi& mpi, Word handle, uint64_t identity) noexcept {
  if (Entry* known = find(mpi, handle)) {
    known->identity = identity;
    known->children = 0;
    known->is_announced.store(false);
    return known;
  }
  for (size_t i = 0, at = slot_of(handle); i < kSlots / 2; ++i, at = (at + 1) % kSlots) {
    Entry& entry = g_entries[at];
    const Word seen = entry.handle.load(std::memory_order_relaxed);
    if (seen != 0 && seen != kForgotten) continue;
    entry.identity = identity;
    entry.children = 0;
    entry.is_announced.store(false);
    entry.handle.store(handle, std::memory_order_release);
    return &entry;
  }
  return nullptr;
}

/// Null for `made`: this rank is not in it.
void add_child(const MpiApi& mpi, Word parent, Word made, Word has_its_members) noexcept {
  const uint64_t members =
      made != 0 && !is_inter(mpi, has_its_members) ? hash_of(Members(mpi, has_its_members)) : 0;
  const uint64_t parent_identity = identity_of(mpi, parent);
  const ChangeLock lock;
  Entry* entry = find(mpi, parent);
  const uint32_t child = entry ? ++entry->children : 0;
  if (made != 0) add(mpi, made, mixed(mixed(parent_identity, child), members));
}

/// How many of this parent, members and tag have been made before: all members have the same
/// answer. Under the lock. Where the table is full, they are taken for one.
uint32_t siblings_of(uint64_t family) noexcept {
  struct Count {
    uint64_t family;
    uint32_t made;
  };
  static constinit Count counts[kSlots]{};
  for (size_t i = 0, at = slot_of(family); i < kSlots; ++i, at = (at + 1) % kSlots) {
    if (counts[at].family == 0) counts[at].family = family;
    if (counts[at].family == family) return counts[at].made++;
  }
  return 0;
}

}  // namespace

uint64_t identity_of(const MpiApi& mpi, Word passed) noexcept {
  const Word handle = mpi.handle(passed);
  Entry* entry = find(mpi, handle);
  if (!entry) [[unlikely]] {
    // Made by a function that is not hooked: its members have to be name enough.
    const uint64_t hash = is_inter(mpi, handle) ? handle : hash_of(Members(mpi, handle));
    const ChangeLock lock;
    entry = add(mpi, handle, mixed(hash, 0));
    if (!entry) return mixed(hash, 0);
  }
  const uint64_t identity = entry == &g_world ? kWorldIdentity : entry->identity;
  // A paused capture records the communicator later.
  if (is_recording() && !entry->is_announced.load(std::memory_order_relaxed) &&
      !entry->is_announced.exchange(true) && !is_inter(mpi, handle))
    announce(mpi, handle, identity);
  return identity;
}

void announce_if_there(const MpiApi& mpi, Word passed, uint64_t identity) noexcept {
  const Entry* entry = find(mpi, mpi.handle(passed));
  if (!entry || entry->is_announced.load(std::memory_order_relaxed)) return;
  if (entry == &g_world || entry->identity == identity) identity_of(mpi, passed);
}

void note_made(const MpiApi& mpi, Word passed, Word made) noexcept {
  if (mpi.family == Family::kUnknown) return;
  const bool is_member = made != 0 && made != mpi.comm_null;
  add_child(mpi, mpi.handle(passed), is_member ? made : Word{0}, made);
}

void note_copied(const MpiApi& mpi, Word passed, Word made) noexcept {
  if (mpi.family == Family::kUnknown) return;
  const Word parent = mpi.handle(passed);
  add_child(mpi, parent, made, parent);
}

void note_made_among(const MpiApi& mpi, Word passed, int tag, Word made) noexcept {
  if (mpi.family == Family::kUnknown || made == 0 || made == mpi.comm_null) return;
  const uint64_t members = hash_of(Members(mpi, made));
  const uint64_t family = mixed(mixed(identity_of(mpi, passed), members), tag_of(tag));
  const ChangeLock lock;
  add(mpi, made, mixed(family, siblings_of(family)));
}

void forget(const MpiApi& mpi, Word handle) noexcept {
  const ChangeLock lock;
  // The slot stays taken, so that entries after it are still found.
  if (Entry* entry = find(mpi, handle); entry && entry != &g_world)
    entry->handle.store(kForgotten, std::memory_order_release);
}

void forget_announced() noexcept {
  g_world.is_announced.store(false);
  for (Entry& entry : g_entries) entry.is_announced.store(false);
}

}  // namespace perseid::mpi
