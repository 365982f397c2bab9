/* Copies of one communicator, two at a time and again and again: MPI has to agree on the number of
   each, while another agreement is under way. Ends with "copied N". */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char** argv) {
  enum { kPairs = 300 };
  int rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int i = 0; i < kPairs; ++i) {
    MPI_Comm copies[2];
    MPI_Request copying[2];
    for (int j = 0; j < 2; ++j) MPI_Comm_idup(MPI_COMM_WORLD, &copies[j], &copying[j]);
    MPI_Waitall(2, copying, MPI_STATUSES_IGNORE);
    for (int j = 0; j < 2; ++j) MPI_Comm_free(&copies[j]);
  }
  if (rank == 0) printf("copied %d\n", 2 * kPairs);
  MPI_Finalize();
  return 0;
}
