/* Messages of every kind the hooks know, and a count of them. Prints "sent N". */
#include <mpi.h>
#include <perseid.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static int g_sent = 0;

static long long monotonic(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1000000000LL + now.tv_nsec;
}

/* Where the timeline says this moment is can be compared with where it really was. */
static void mark(void) {
  const struct perseid_arg mono = perseid_arg_int("mono", monotonic());
  perseid_instant_with("mark", &mono, 1);
}

static void send_to(int rank, int tag, MPI_Comm comm, int how) {
  double value = rank;
  MPI_Request request;
  if (how == 0) MPI_Send(&value, 1, MPI_DOUBLE, rank, tag, comm);
  if (how == 1) MPI_Ssend(&value, 1, MPI_DOUBLE, rank, tag, comm);
  if (how == 2) {
    MPI_Isend(&value, 1, MPI_DOUBLE, rank, tag, comm, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  ++g_sent;
}

/* Everybody to the next, in a ring: posted receives, waited for in four ways. */
static void ring(MPI_Comm comm, int rounds) {
  int rank, size;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  for (int i = 0; i < rounds; ++i) {
    double in[2], out = rank;
    MPI_Request requests[3];
    const int from = (rank + size - 1) % size, to = (rank + 1) % size;
    MPI_Irecv(&in[0], 1, MPI_DOUBLE, from, 5, comm, &requests[0]);
    MPI_Irecv(&in[1], 1, MPI_DOUBLE, MPI_ANY_SOURCE, 6, comm, &requests[1]);
    MPI_Isend(&out, 1, MPI_DOUBLE, to, 5, comm, &requests[2]);
    MPI_Send(&out, 1, MPI_DOUBLE, to, 6, comm);
    g_sent += 2;
    if (i % 3 == 0) {
      MPI_Status statuses[3];
      MPI_Waitall(3, requests, statuses);
    } else if (i % 3 == 1) {
      int index;
      for (int j = 0; j < 3; ++j) MPI_Waitany(3, requests, &index, MPI_STATUS_IGNORE);
    } else {
      int done, all = 0, indices[3];
      MPI_Status statuses[3];
      while (all < 3) {
        MPI_Waitsome(3, requests, &done, indices, statuses);
        all += done;
      }
    }
  }
}

/* The halo of a stencil code: requests made once, started in every step, waited for or tested. */
static void halo(MPI_Comm comm, int steps) {
  enum { kBytes = 100000 }; /* too large to be through before its receiver takes it */
  static char in[2][kBytes], out[2][kBytes];
  int rank, size;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  const int left = (rank + size - 1) % size, right = (rank + 1) % size;
  MPI_Request requests[5];
  perseid_pause(); /* as programs do that want their steps traced, not what prepares them */
  MPI_Recv_init(in[0], kBytes, MPI_BYTE, left, 20, comm, &requests[0]);
  MPI_Recv_init(in[1], kBytes, MPI_BYTE, MPI_ANY_SOURCE, 21, comm, &requests[1]);
  MPI_Send_init(out[0], kBytes, MPI_BYTE, right, 20, comm, &requests[2]);
  MPI_Ssend_init(out[1], 1, MPI_BYTE, left, 21, comm, &requests[3]);
  MPI_Send_init(out[1], 1, MPI_BYTE, MPI_PROC_NULL, 22, comm, &requests[4]);
  perseid_resume();
  for (int i = 0; i < steps; ++i) {
    if (i % 2 == 0) {
      MPI_Startall(5, requests);
    } else {
      for (int j = 0; j < 5; ++j) MPI_Start(&requests[j]);
    }
    g_sent += 2;
    if (i % 3 == 0) { /* one of them is through before the wait */
      int flag = 0;
      while (!flag) MPI_Test(&requests[0], &flag, MPI_STATUS_IGNORE);
    }
    if (i % 3 == 2) {
      for (int j = 0; j < 5; ++j) MPI_Wait(&requests[j], MPI_STATUS_IGNORE);
    } else {
      MPI_Waitall(5, requests, MPI_STATUSES_IGNORE);
    }
  }
  /* Inactive requests are no messages. */
  MPI_Waitall(5, requests, MPI_STATUSES_IGNORE);
  for (int j = 0; j < 5; ++j) MPI_Request_free(&requests[j]);

  /* The two modes of sending that need more care: room of one's own, and a receiver that is ready.
   */
  char room[64 + MPI_BSEND_OVERHEAD];
  char* detached;
  int room_bytes;
  MPI_Request pair[2];
  MPI_Buffer_attach(room, sizeof room);
  MPI_Recv_init(in[0], 1, MPI_BYTE, left, 23, comm, &pair[0]);
  MPI_Bsend_init(out[0], 1, MPI_BYTE, right, 23, comm, &pair[1]);
  MPI_Startall(2, pair);
  MPI_Waitall(2, pair, MPI_STATUSES_IGNORE);
  MPI_Request_free(&pair[1]);
  MPI_Start(&pair[0]);
  MPI_Barrier(comm);
  MPI_Rsend_init(out[0], 1, MPI_BYTE, right, 23, comm, &pair[1]);
  MPI_Start(&pair[1]);
  MPI_Waitall(2, pair, MPI_STATUSES_IGNORE);
  g_sent += 2;
  for (int j = 0; j < 2; ++j) MPI_Request_free(&pair[j]);
  MPI_Buffer_detach(&detached, &room_bytes);
}

/* Two messages of one kind, received in the other order than they were matched. */
static void probe_and_take(MPI_Comm comm) {
  int rank, size, flag = 0;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  double out[2] = {1, 2}, in[2][2];
  MPI_Request requests[2], taken;
  MPI_Message first, second;
  MPI_Status status;
  for (int i = 0; i < 2; ++i)
    MPI_Isend(out, 1 + i, MPI_DOUBLE, (rank + 1) % size, 30, comm, &requests[i]);
  g_sent += 2;
  MPI_Mprobe(MPI_ANY_SOURCE, 30, comm, &first, &status);
  while (!flag)
    MPI_Improbe(status.MPI_SOURCE, MPI_ANY_TAG, comm, &flag, &second, MPI_STATUS_IGNORE);
  MPI_Imrecv(in[1], 2, MPI_DOUBLE, &second, &taken);
  MPI_Wait(&taken, MPI_STATUS_IGNORE);
  MPI_Mrecv(in[0], 1, MPI_DOUBLE, &first, MPI_STATUS_IGNORE);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  MPI_Mprobe(MPI_PROC_NULL, 30, comm, &first, MPI_STATUS_IGNORE);
  MPI_Mrecv(in[0], 1, MPI_DOUBLE, &first, MPI_STATUS_IGNORE);
}

/* Sizes tell afterwards whether each arrow leads to its own message. */
static void cross(MPI_Comm comms[2]) {
  int rank, size;
  MPI_Comm_rank(comms[0], &rank);
  MPI_Comm_size(comms[0], &size);
  char out[2][2] = {{0}}, in[2][2];
  MPI_Request requests[2];
  for (int i = 0; i < 2; ++i)
    MPI_Isend(out[i], 1 + i, MPI_BYTE, (rank + 1) % size, 40, comms[i], &requests[i]);
  for (int i = 1; i >= 0; --i)
    MPI_Recv(in[i], 1 + i, MPI_BYTE, (rank + size - 1) % size, 40, comms[i], MPI_STATUS_IGNORE);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  g_sent += 2;
}

int main(int argc, char** argv) {
  int rank, size;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);

  mark();
  ring(MPI_COMM_WORLD, 6);
  MPI_Barrier(MPI_COMM_WORLD); /* what takes any message must not take those of other parts */
  if (rank == 0) {
    double value;
    for (int i = 0; i < 3 * (size - 1); ++i)
      MPI_Recv(&value, 1, MPI_DOUBLE, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
  } else {
    for (int how = 0; how < 3; ++how) send_to(0, 10 + how, MPI_COMM_WORLD, how);
  }
  MPI_Barrier(MPI_COMM_WORLD);

  double out = rank, in = 0;
  MPI_Sendrecv(&out, 1, MPI_DOUBLE, (rank + 1) % size, 7, &in, 1, MPI_DOUBLE,
               (rank + size - 1) % size, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Sendrecv_replace(&out, 1, MPI_DOUBLE, rank == size - 1 ? MPI_PROC_NULL : rank + 1, 8,
                       rank == 0 ? MPI_PROC_NULL : rank - 1, 8, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  g_sent += rank == size - 1 ? 1 : 2;

  /* The same ranks and tags again in communicators of their own. */
  MPI_Comm twin, half;
  MPI_Comm_dup(MPI_COMM_WORLD, &twin);
  ring(twin, 2);
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, size - rank, &half);
  int half_size;
  MPI_Comm_size(half, &half_size);
  ring(half, 2);
  halo(twin, 6);
  probe_and_take(twin);
  /* Messages of the same ranks and tag in two communicators that only their order tells apart,
     received in the other order than they were sent; rank 0 belongs to neither if it can. */
  MPI_Comm copies[2], groups[2];
  MPI_Request copying[2];
  MPI_Group all_ranks, some;
  int lowest = size > 2 ? 1 : 0, range[1][3] = {{lowest, size - 1, 1}};
  for (int i = 0; i < 2; ++i) MPI_Comm_idup(MPI_COMM_WORLD, &copies[i], &copying[i]);
  MPI_Waitall(2, copying, MPI_STATUSES_IGNORE);
  cross(copies);
  MPI_Comm_group(MPI_COMM_WORLD, &all_ranks);
  MPI_Group_range_incl(all_ranks, 1, range, &some);
  if (rank >= lowest) {
    for (int i = 0; i < 2; ++i) MPI_Comm_create_group(MPI_COMM_WORLD, some, 3, &groups[i]);
    cross(groups);
    for (int i = 0; i < 2; ++i) MPI_Comm_free(&groups[i]);
  }
  for (int i = 0; i < 2; ++i) MPI_Comm_free(&copies[i]);
  MPI_Group_free(&some);
  MPI_Group_free(&all_ranks);
  MPI_Comm_dup(MPI_COMM_WORLD, &copies[0]); /* all ranks have made as many as the others */
  ring(copies[0], 1);
  MPI_Comm_free(&copies[0]);
  MPI_Comm_free(&twin);
  MPI_Comm_free(&half);

  /* A receive whose end only MPI_Test sees. */
  if (size > 1 && rank < 2) {
    int flag = 0;
    MPI_Request request;
    double value = 0;
    if (rank == 0) {
      send_to(1, 9, MPI_COMM_WORLD, 0);
    } else {
      MPI_Irecv(&value, 1, MPI_DOUBLE, 0, 9, MPI_COMM_WORLD, &request);
      while (!flag) MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
    }
  }

  int all = 0;
  double* gathered = malloc((size_t)size * sizeof *gathered);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Bcast(&in, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  MPI_Allgather(&in, 1, MPI_DOUBLE, gathered, 1, MPI_DOUBLE, MPI_COMM_WORLD);
  MPI_Gather(rank == 0 ? MPI_IN_PLACE : gathered, 1, MPI_DOUBLE, gathered, 1, MPI_DOUBLE, 0,
             MPI_COMM_WORLD);
  free(gathered);
  MPI_Reduce(&g_sent, &all, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
  mark();
  if (rank == 0) printf("sent %d\n", all);
  MPI_Finalize();
  return 0;
}
