/* steps SECONDS: a message around the ring and a sum in every step, as solvers do. */
#include <mpi.h>
#include <perseid.h>
#include <stdlib.h>
#include <time.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int steps = (argc > 1 ? atoi(argv[1]) : 1) * 100;
  double values[16] = {0};
  for (int i = 0; i < steps; ++i) {
    const struct timespec pause = {0, 10000000};
    perseid_begin("step");
    MPI_Request requests[2];
    MPI_Irecv(values, 8, MPI_DOUBLE, (rank + size - 1) % size, 7, MPI_COMM_WORLD, &requests[0]);
    MPI_Isend(values + 8, 8, MPI_DOUBLE, (rank + 1) % size, 7, MPI_COMM_WORLD, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    MPI_Allreduce(MPI_IN_PLACE, values + 8, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    nanosleep(&pause, NULL);
    perseid_end();
  }
  MPI_Finalize();
  return 0;
}
