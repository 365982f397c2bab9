/* Every rank is killed before MPI_Finalize. */
#include <mpi.h>
#include <perseid.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  const struct perseid_arg mono = perseid_arg_int("mono", now.tv_sec * 1000000000LL + now.tv_nsec);
  perseid_instant_with("mark", &mono, 1);
  MPI_Barrier(MPI_COMM_WORLD);
  kill(getpid(), SIGKILL);
  return 0;
}
