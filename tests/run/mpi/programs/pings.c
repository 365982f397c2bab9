/* Messages to and fro between two ranks, as many as asked for. Prints nanoseconds per message. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int count = argc > 1 ? atoi(argv[1]) : 1000;
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  double value = rank;
  MPI_Barrier(MPI_COMM_WORLD);
  const double begun = MPI_Wtime();
  for (int i = 0; i < count; ++i) {
    if (rank == i % 2) MPI_Send(&value, 1, MPI_DOUBLE, 1 - rank, 1, MPI_COMM_WORLD);
    if (rank == 1 - i % 2)
      MPI_Recv(&value, 1, MPI_DOUBLE, 1 - rank, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  if (rank == 0) printf("%.0f\n", (MPI_Wtime() - begun) / count * 1e9);
  MPI_Finalize();
  return 0;
}
