// mpi/record/clock_exchange.cpp: round trips to the reference rank; the shortest one counts.
#include "mpi/record/clock_exchange.h"

#include <sys/mman.h>

#include <algorithm>

#include "capture/checksum.h"
#include "plugin/record/clock.h"
#include "plugin/session/session.h"
#include "plugin/settings/rank_selection.h"

namespace perseid::mpi {

namespace {

constexpr int kTag = 1;
constexpr int kMaxRounds = 200;
constexpr int kFewestRounds = 10;
/// The reference serves one rank after the other: at most this many rounds for all together.
constexpr int kAllRounds = 12'800;

int64_t now_ns() noexcept { return shown_mono_ns(read_clock_ns(CLOCK_MONOTONIC)); }

/// Memory of our own: what grows with the number of ranks does not fit on a stack.
class Memory {
 public:
  explicit Memory(size_t bytes) noexcept : bytes_(bytes) {
    void* at = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    at_ = at == MAP_FAILED ? nullptr : at;
  }
  ~Memory() {
    if (at_) munmap(at_, bytes_);
  }
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;
  template <class T>
  T* as() const noexcept {
    return static_cast<T*>(at_);
  }

 private:
  size_t bytes_;
  void* at_;
};

/// The communicator of the selected ranks, made by them alone. 0 if MPI refuses.
Word make_group_comm(const MpiApi& mpi, uint32_t size, uint32_t count) noexcept {
  const Memory chosen(count * sizeof(int));
  alignas(8) Word world_at = 0, group_at = 0, made_at = 0;
  if (!chosen.as<int>() || mpi.PMPI_Comm_group(mpi.comm_world, &world_at) != 0) return 0;
  uint32_t next = 0;
  for (uint32_t rank = 0; rank < size; ++rank)
    if (selects_rank(g_origin.settings.ranks, rank))
      chosen.as<int>()[next++] = static_cast<int>(rank);
  const Word world = mpi.handle_at(reinterpret_cast<Word>(&world_at));
  mpi.PMPI_Group_incl(world, static_cast<int>(count), chosen.as<int>(), &group_at);
  const Word group = mpi.handle_at(reinterpret_cast<Word>(&group_at));
  const int result = mpi.PMPI_Comm_create_group(mpi.comm_world, group, kTag, &made_at);
  mpi.PMPI_Group_free(&group_at);
  mpi.PMPI_Group_free(&world_at);
  return result == 0 ? mpi.handle_at(reinterpret_cast<Word>(&made_at)) : 0;
}

}  // namespace

bool ClockExchange::measure(const MpiApi& mpi, uint32_t world_size, ClockSync& found) noexcept {
  if (!comm_ && !open(mpi, world_size)) return false;
  const bool is_good = compare(mpi, found);
  if (static_cast<uint32_t>(size_) < world_size) close(mpi);
  return is_good;
}

bool ClockExchange::open(const MpiApi& mpi, uint32_t world_size) noexcept {
  const SelectedRanks selected = selected_ranks(g_origin.settings.ranks, world_size);
  if (selected.count < 2 || !mpi.PMPI_Comm_dup) return false;
  reference_ = selected.lowest;
  if (selected.count == world_size) {
    alignas(8) Word made = 0;
    if (mpi.PMPI_Comm_dup(mpi.comm_world, &made) == 0)
      comm_ = mpi.handle_at(reinterpret_cast<Word>(&made));
  } else {
    comm_ = make_group_comm(mpi, world_size, selected.count);
  }
  if (comm_ == 0 || comm_ == mpi.comm_null) {
    comm_ = 0;
    return false;
  }
  return mpi.PMPI_Comm_rank(comm_, &rank_) == 0 && mpi.PMPI_Comm_size(comm_, &size_) == 0;
}

bool ClockExchange::compare(const MpiApi& mpi, ClockSync& found) noexcept {
  found = {now_ns(), 0, 0, reference_, 0};
  uint64_t machine = machine_id();
  const uint64_t own_machine = machine;
  if (mpi.PMPI_Bcast(&machine, 8, mpi.byte_type, 0, comm_) != 0) return false;
  const bool is_elsewhere = rank_ != 0 && (machine != own_machine || machine == 0);
  char asks = is_elsewhere ? 1 : 0;
  const Memory asking(rank_ == 0 ? static_cast<size_t>(size_) : 1);
  if (!asking.as<char>() ||
      mpi.PMPI_Gather(&asks, 1, mpi.byte_type, asking.as<char>(), 1, mpi.byte_type, 0, comm_) != 0)
    return false;
  const int rounds = std::clamp(kAllRounds / size_, kFewestRounds, kMaxRounds);
  bool is_good = true;
  if (rank_ == 0) {
    for (int rank = 1; rank < size_; ++rank)
      if (asking.as<char>()[rank]) serve_probes(mpi, rank, rounds);
  } else if (asks) {
    is_good = probe_reference(mpi, rounds, found);
  }
  found.checksum = checksum(&found, offsetof(ClockSync, checksum));
  return is_good;
}

void ClockExchange::serve_probes(const MpiApi& mpi, int rank, int rounds) const noexcept {
  const Word no_status = mpi.family == Family::kOpenMpi ? 0 : 1;
  for (int i = 0; i < rounds; ++i) {
    char question = 0;
    mpi.PMPI_Recv(&question, 1, mpi.byte_type, rank, kTag, comm_, no_status);
    const int64_t time_ns = now_ns();
    mpi.PMPI_Send(&time_ns, 8, mpi.byte_type, rank, kTag, comm_);
  }
}

bool ClockExchange::probe_reference(const MpiApi& mpi, int rounds,
                                    ClockSync& found) const noexcept {
  const Word no_status = mpi.family == Family::kOpenMpi ? 0 : 1;
  int64_t shortest = INT64_MAX;
  for (int i = 0; i < rounds; ++i) {
    const char question = 0;
    int64_t reference_ns = 0;
    const int64_t asked_ns = now_ns();
    mpi.PMPI_Send(&question, 1, mpi.byte_type, 0, kTag, comm_);
    mpi.PMPI_Recv(&reference_ns, 8, mpi.byte_type, 0, kTag, comm_, no_status);
    const int64_t trip_ns = now_ns() - asked_ns;
    if (trip_ns >= shortest) continue;
    shortest = trip_ns;
    found.mono_ns = asked_ns + trip_ns / 2;
    found.offset_ns = reference_ns - found.mono_ns;
    found.error_ns = (trip_ns + 1) / 2;
  }
  return shortest != INT64_MAX;
}

void ClockExchange::close(const MpiApi& mpi) noexcept {
  if (!comm_) return;
  alignas(8) Word handle = comm_;
  mpi.PMPI_Comm_free(&handle);
  comm_ = 0;
}

}  // namespace perseid::mpi
