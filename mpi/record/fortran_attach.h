// mpi/record/fortran_attach.h: makes Fortran programs call our hooks, too.
#pragma once

namespace perseid::mpi {

/// Open MPI's Fortran functions call the C ones by their PMPI names, which tools do not interpose.
/// Redirects these calls to our hooks. MPICH's Fortran functions call MPI_ as a program does.
void attach_fortran() noexcept;

}  // namespace perseid::mpi
