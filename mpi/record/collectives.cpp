// mpi/record/collectives.cpp: operations of a whole communicator. All arguments are forwarded as
// they came; the argument lists differ in which give the size, the root and the communicator.
#include "mpi/record/hook.h"

using namespace perseid;
using namespace perseid::mpi;

namespace {

constexpr Word kNoRoot = ~Word{0};

/// MPI_IN_PLACE of either family: then its count and type may be anything.
bool is_in_place(Word buffer) noexcept { return buffer == 1 || buffer == ~Word{0}; }

template <class Call>
int collective(Operation operation, const void* caller, Word buffer, Word count, Word type,
               Word root, Word comm, Call call) {
  const MpiApi& mpi = api();
  if (!records(mpi, caller)) return call(mpi);
  // Between communicators the arguments of some ranks mean nothing; there the root is negative.
  const bool has_size = type != 0 && !is_in_place(buffer) && (root == kNoRoot || as_int(root) >= 0);
  emit(kind(kBegin), number(operation), identity_of(mpi, comm),
       halves(root == kNoRoot ? kProcNull : static_cast<uint32_t>(as_int(root)), kAnyTag),
       has_size ? bytes_of(mpi, count, type) : uint64_t{0});
  const int result = call(mpi);
  emit(kind(kEnd), number(operation));
  return result;
}

}  // namespace

// PERSEID_COLLECTIVE(name, (parameters), (arguments), count, type, root, comm)
#define PERSEID_COLLECTIVE(name, parameters, arguments, buffer, count, type, root, comm)          \
  PERSEID_HOOK int name parameters {                                                              \
    return collective(Operation::k##name, __builtin_return_address(0), buffer, count, type, root, \
                      comm, [&](const MpiApi& mpi) { return mpi.name arguments; });               \
  }
#define PERSEID_1 (Word a)
#define PERSEID_2 (Word a, Word b)
#define PERSEID_5 (Word a, Word b, Word c, Word d, Word e)
#define PERSEID_6 (Word a, Word b, Word c, Word d, Word e, Word f)
#define PERSEID_7 (Word a, Word b, Word c, Word d, Word e, Word f, Word g)
#define PERSEID_8 (Word a, Word b, Word c, Word d, Word e, Word f, Word g, Word h)
#define PERSEID_9 (Word a, Word b, Word c, Word d, Word e, Word f, Word g, Word h, Word i)
#define PERSEID_A1 (a)
#define PERSEID_A2 (a, b)
#define PERSEID_A5 (a, b, c, d, e)
#define PERSEID_A6 (a, b, c, d, e, f)
#define PERSEID_A7 (a, b, c, d, e, f, g)
#define PERSEID_A8 (a, b, c, d, e, f, g, h)
#define PERSEID_A9 (a, b, c, d, e, f, g, h, i)

PERSEID_COLLECTIVE(MPI_Barrier, PERSEID_1, PERSEID_A1, 0, 0, 0, kNoRoot, a)
PERSEID_COLLECTIVE(MPI_Ibarrier, PERSEID_2, PERSEID_A2, 0, 0, 0, kNoRoot, a)
// buffer, count, type, root, comm
PERSEID_COLLECTIVE(MPI_Bcast, PERSEID_5, PERSEID_A5, 0, b, c, d, e)
PERSEID_COLLECTIVE(MPI_Ibcast, PERSEID_6, PERSEID_A6, 0, b, c, d, e)
// from, into, count, type, operator, root, comm
PERSEID_COLLECTIVE(MPI_Reduce, PERSEID_7, PERSEID_A7, 0, c, d, f, g)
PERSEID_COLLECTIVE(MPI_Ireduce, PERSEID_8, PERSEID_A8, 0, c, d, f, g)
// from, into, count, type, operator, comm
PERSEID_COLLECTIVE(MPI_Allreduce, PERSEID_6, PERSEID_A6, 0, c, d, kNoRoot, f)
PERSEID_COLLECTIVE(MPI_Iallreduce, PERSEID_7, PERSEID_A7, 0, c, d, kNoRoot, f)
PERSEID_COLLECTIVE(MPI_Scan, PERSEID_6, PERSEID_A6, 0, c, d, kNoRoot, f)
PERSEID_COLLECTIVE(MPI_Exscan, PERSEID_6, PERSEID_A6, 0, c, d, kNoRoot, f)
PERSEID_COLLECTIVE(MPI_Reduce_scatter_block, PERSEID_6, PERSEID_A6, 0, c, d, kNoRoot, f)
PERSEID_COLLECTIVE(MPI_Reduce_scatter, PERSEID_6, PERSEID_A6, 0, 0, 0, kNoRoot, f)
// from, count, type, into, count, type, root, comm
PERSEID_COLLECTIVE(MPI_Gather, PERSEID_8, PERSEID_A8, a, b, c, g, h)
PERSEID_COLLECTIVE(MPI_Igather, PERSEID_9, PERSEID_A9, a, b, c, g, h)
PERSEID_COLLECTIVE(MPI_Scatter, PERSEID_8, PERSEID_A8, d, e, f, g, h)
PERSEID_COLLECTIVE(MPI_Iscatter, PERSEID_9, PERSEID_A9, d, e, f, g, h)
// from, count, type, into, counts, displacements, type, root, comm
PERSEID_COLLECTIVE(MPI_Gatherv, PERSEID_9, PERSEID_A9, a, b, c, h, i)
// from, counts, displacements, type, into, count, type, root, comm
PERSEID_COLLECTIVE(MPI_Scatterv, PERSEID_9, PERSEID_A9, e, f, g, h, i)
// from, count, type, into, count, type, comm
PERSEID_COLLECTIVE(MPI_Allgather, PERSEID_7, PERSEID_A7, a, b, c, kNoRoot, g)
PERSEID_COLLECTIVE(MPI_Iallgather, PERSEID_8, PERSEID_A8, a, b, c, kNoRoot, g)
PERSEID_COLLECTIVE(MPI_Alltoall, PERSEID_7, PERSEID_A7, a, b, c, kNoRoot, g)
PERSEID_COLLECTIVE(MPI_Ialltoall, PERSEID_8, PERSEID_A8, a, b, c, kNoRoot, g)
// from, count, type, into, counts, displacements, type, comm
PERSEID_COLLECTIVE(MPI_Allgatherv, PERSEID_8, PERSEID_A8, a, b, c, kNoRoot, h)
// from, counts, displacements, type, into, counts, displacements, type, comm
PERSEID_COLLECTIVE(MPI_Alltoallv, PERSEID_9, PERSEID_A9, 0, 0, 0, kNoRoot, i)
PERSEID_COLLECTIVE(MPI_Alltoallw, PERSEID_9, PERSEID_A9, 0, 0, 0, kNoRoot, i)
