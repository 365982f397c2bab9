/* Prints the handle that each rank gets for the same communicator. They are numbered as each rank's
   own communicators are: if the numbers differ, a rank has one that others lack. */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char** argv) {
  enum { kMaxRanks = 16 };
  int rank, size, handles[kMaxRanks];
  MPI_Comm copy;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (size > kMaxRanks) MPI_Abort(MPI_COMM_WORLD, 2);
  MPI_Comm_dup(MPI_COMM_WORLD, &copy);
  int handle = (int)MPI_Comm_c2f(copy);
  MPI_Gather(&handle, 1, MPI_INT, handles, 1, MPI_INT, 0, MPI_COMM_WORLD);
  if (rank == 0)
    for (int i = 0; i < size; ++i) printf("%d\n", handles[i]);
  MPI_Comm_free(&copy);
  MPI_Finalize();
  return 0;
}
