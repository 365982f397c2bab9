// mpi/record/lifecycle.cpp: start and end of MPI: rank, communicators and clock exchange.
#include "mpi/record/lifecycle.h"

#include <cstring>

#include "mpi/record/clock_exchange.h"
#include "mpi/record/fortran_attach.h"
#include "mpi/record/hook.h"
#include "mpi/record/traced_ranks_barrier.h"
#include "plugin/session/communicator_identity.h"
#include "plugin/session/loaded_files.h"
#include "plugin/session/message.h"
#include "plugin/session/session.h"
#include "plugin/session/unrecorded.h"
#include "plugin/settings/fixed_text.h"
#include "plugin/settings/rank_selection.h"

namespace perseid::mpi {

namespace {

constinit TracedRanksBarrier g_barrier{};
constinit ClockExchange g_clock_exchange{};
constinit bool g_compares_clocks = false;  // all traced ranks are there to do it
constinit ClockSync g_syncs[kMaxClockSyncs]{};
constinit uint32_t g_sync_count = 0;
constinit RankInJob g_place{};
// A forked child has what its parent did, and must not ask the loader in a fork handler.
constinit std::atomic<bool> g_is_prepared{false};

/// Into the state of the capture, where it survives any end.
void publish() noexcept {
  Session& s = session();
  if (s.state.load() != SessionState::kOn || !is_own_session(s) || g_place.rank < 0) return;
  s.state_file.set(&StateHeader::mpi_rank, static_cast<uint32_t>(g_place.rank));
  s.state_file.set(&StateHeader::mpi_size, g_place.size);
  for (uint32_t i = 0; i < g_sync_count; ++i) s.state_file.set_sync(i, g_syncs[i]);
}

void measure_clock(const MpiApi& mpi) noexcept {
  ClockSync found;
  if (g_compares_clocks && g_sync_count < kMaxClockSyncs &&
      g_clock_exchange.measure(mpi, g_place.size, found))
    g_syncs[g_sync_count++] = found;
}

/// If the environment does not contain the rank, `ranks=` is applied only now.
bool is_traced(const RankInJob& place) noexcept {
  const std::string_view ranks = g_origin.settings.ranks;
  if (!is_reporting_rank(place, ranks)) direct_messages(g_origin.settings.log, true);
  if (selects_rank(ranks, static_cast<uint32_t>(place.rank))) return true;
  g_switch->is_recording.store(0);
  SessionState armed = SessionState::kArmed;
  session().state.compare_exchange_strong(armed, SessionState::kDone);
  return false;
}

uint32_t intern_version(const MpiApi& mpi) noexcept {
  char version[8192] = "";
  int length = 0;
  if (mpi.PMPI_Get_library_version(version, &length) != 0 || !is_recording()) return 0;
  const InsideGuard guard;
  if (!guard || (!t_ring && !join_session())) return 0;
  return session().names.intern(version, std::strcspn(version, "\n,"));
}

void begin(const MpiApi& mpi, uint64_t begun_ticks) noexcept {
  int rank = 0, size = 0;
  if (mpi.family == Family::kUnknown || mpi.PMPI_Comm_rank(mpi.comm_world, &rank) != 0 ||
      mpi.PMPI_Comm_size(mpi.comm_world, &size) != 0)
    return g_barrier.clear();
  const bool was_known = read_rank_in_job().rank >= 0;
  g_place = {rank, static_cast<uint32_t>(size)};
  set_mpi_rank(static_cast<uint32_t>(rank), g_place.size);
  if (!was_known) set_test_clock(static_cast<uint32_t>(rank));
  if (!is_traced(g_place)) return;
  {
    const SystemCallGuard guard;
    const SelectedRanks selected = selected_ranks(g_origin.settings.ranks, g_place.size);
    const bool is_lowest = selected.lowest == static_cast<uint32_t>(rank);
    if (selected.count > 1 && g_barrier.wait(selected.count, is_lowest)) {
      g_compares_clocks = true;
      measure_clock(mpi);
      if (is_lowest) g_barrier.clear();
    }
    if (selected.count == 1) g_barrier.clear();
  }
  emit(kind(kInit), static_cast<uint32_t>(rank), begun_ticks, static_cast<uint64_t>(size),
       uint64_t{intern_version(mpi)});
  publish();
}

template <class Call>
int init(Call call) {
  const MpiApi& mpi = api();
  look_at_switch_again();
  if (!is_wanted()) return call(mpi);
  const uint64_t begun = read_ticks();
  {
    const SystemCallGuard guard;
    g_barrier.enter();
  }
  const int result = call(mpi);
  if (result == 0) begin(mpi, begun);
  return result;
}

}  // namespace

void start() noexcept {
  if (!g_is_prepared.exchange(true) && g_origin.settings.mpi) attach_fortran();
  forget_announced();
  g_identify_communicator = [](uint64_t handle) noexcept {
    const MpiApi& mpi = api();
    return mpi.family == Family::kUnknown ? kWorldIdentity : identity_of(mpi, handle);
  };
}

void stop() noexcept { publish(); }

void explain(bool has_recorded) noexcept {
  if (has_recorded || !is_wanted() || (!is_loaded("libmpi.so") && !is_loaded("libmpich.so")))
    return;
  Line line;
  line << ProgramName().text << " ended before MPI_Init";
  report_unrecorded(Unrecorded::kIdle, line.c_str());
}

}  // namespace perseid::mpi

using namespace perseid;
using namespace perseid::mpi;

PERSEID_HOOK int MPI_Init(Word argc, Word argv) {
  return init([&](const MpiApi& mpi) { return mpi.MPI_Init(argc, argv); });
}

PERSEID_HOOK int MPI_Init_thread(Word argc, Word argv, Word required, Word provided) {
  return init(
      [&](const MpiApi& mpi) { return mpi.MPI_Init_thread(argc, argv, required, provided); });
}

PERSEID_HOOK int MPI_Finalize() {
  const MpiApi& mpi = api();
  if (!is_wanted()) return mpi.MPI_Finalize();
  {
    const SystemCallGuard guard;
    measure_clock(mpi);
    g_clock_exchange.close(mpi);
    g_barrier.clear();
  }
  publish();
  emit(kind(kFinalizeBegin), 0);
  const int result = mpi.MPI_Finalize();
  emit(kind(kFinalizeEnd), 0);
  return result;
}

PERSEID_HOOK int MPI_Abort(Word comm, Word code) {
  if (is_wanted()) emit(kind(kAbort), static_cast<uint32_t>(code));
  return api().MPI_Abort(comm, code);
}

#define PERSEID_MAKES(name, parameters, arguments)                               \
  PERSEID_HOOK int name parameters {                                             \
    const MpiApi& mpi = api();                                                   \
    const int result = mpi.name arguments;                                       \
    if (result == 0 && is_wanted()) note_made(mpi, parent, mpi.handle_at(made)); \
    return result;                                                               \
  }
PERSEID_MAKES(MPI_Comm_dup, (Word parent, Word made), (parent, made))
PERSEID_MAKES(MPI_Comm_dup_with_info, (Word parent, Word info, Word made), (parent, info, made))
PERSEID_MAKES(MPI_Comm_split, (Word parent, Word colour, Word key, Word made),
              (parent, colour, key, made))
PERSEID_MAKES(MPI_Comm_split_type, (Word parent, Word type, Word key, Word info, Word made),
              (parent, type, key, info, made))
PERSEID_MAKES(MPI_Comm_create, (Word parent, Word group, Word made), (parent, group, made))
PERSEID_MAKES(MPI_Cart_create,
              (Word parent, Word count, Word sizes, Word periods, Word reorder, Word made),
              (parent, count, sizes, periods, reorder, made))
PERSEID_MAKES(MPI_Cart_sub, (Word parent, Word kept, Word made), (parent, kept, made))
#undef PERSEID_MAKES

PERSEID_HOOK int MPI_Comm_idup(Word parent, Word made, Word request) {
  const MpiApi& mpi = api();
  const int result = mpi.MPI_Comm_idup(parent, made, request);
  // Both families return the handle at once, although it cannot be used yet.
  if (result == 0 && is_wanted()) note_copied(mpi, parent, mpi.handle_at(made));
  return result;
}

PERSEID_HOOK int MPI_Comm_create_group(Word parent, Word group, Word tag, Word made) {
  const MpiApi& mpi = api();
  const int result = mpi.MPI_Comm_create_group(parent, group, tag, made);
  if (result == 0 && is_wanted()) note_made_among(mpi, parent, as_int(tag), mpi.handle_at(made));
  return result;
}

PERSEID_HOOK int MPI_Comm_free(Word comm) {
  const MpiApi& mpi = api();
  if (mpi.family != Family::kUnknown && is_wanted()) forget(mpi, mpi.handle_at(comm));
  return mpi.MPI_Comm_free(comm);
}
