/* sets_switch VALUE: every rank turns tracing on itself before MPI_Init, and sends one message. */
#include <mpi.h>
#include <stdlib.h>

int main(int argc, char** argv) {
  if (argc > 1) setenv("PERSEID", argv[1], 1);
  int rank, number = 7;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) MPI_Send(&number, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
  if (rank == 1) MPI_Recv(&number, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Finalize();
  return number == 7 ? 0 : 1;
}
