// mpi/record/fortran_attach.h: Fortran programs come by our hooks, too.
#pragma once

namespace perseid::mpi {

/// Open MPI's Fortran functions call the C ones by their PMPI names, which no tool stands in for.
/// Their calls are led to our hooks. MPICH's call the C functions as a program does.
void take_over_fortran() noexcept;

}  // namespace perseid::mpi
