/* heat.c: heat flowing along a rod, by two threads, annotated from C. */
#define _POSIX_C_SOURCE 200809L /* barriers */
#include <math.h>
#include <perseid.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { POINTS = 200000, STEPS = 200, THREADS = 2 };

static double* now;
static double* next;
static pthread_barrier_t barrier;

static void relax(size_t begin, size_t end) {
  struct perseid_arg args[] = {perseid_arg_uint("first", begin), perseid_arg_uint("last", end)};
  perseid_begin_with("relax", args, 2);
  for (size_t i = begin; i < end; ++i) next[i] = 0.25 * (now[i - 1] + 2 * now[i] + now[i + 1]);
  perseid_end();
}

static void wait_for_both(void) {
  perseid_begin("barrier");
  pthread_barrier_wait(&barrier);
  perseid_end();
}

static double total(void) {
  double sum = 0;
  for (size_t i = 0; i < POINTS; ++i) sum += now[i];
  return sum;
}

static void* work(void* argument) {
  const size_t rank = *(const size_t*)argument;
  const size_t share = (POINTS - 2) / THREADS;
  perseid_name_thread(rank == 0 ? "left half" : "right half");
  for (int step = 0; step < STEPS; ++step) {
    relax(1 + rank * share, rank == THREADS - 1 ? POINTS - 1 : 1 + (rank + 1) * share);
    wait_for_both();
    if (rank == 0) {
      double* swapped = now;
      now = next;
      next = swapped;
      perseid_counter("warmest point", now[POINTS / 2]);
    }
    wait_for_both();
  }
  return NULL;
}

int main(void) {
  now = calloc(POINTS, sizeof *now);
  next = calloc(POINTS, sizeof *next);
  if (!now || !next) return 1;
  now[POINTS / 2] = 1000;
  pthread_barrier_init(&barrier, NULL, THREADS);

  perseid_phase("relax");
  pthread_t threads[THREADS];
  size_t ranks[THREADS];
  for (size_t i = 0; i < THREADS; ++i) {
    ranks[i] = i;
    if (pthread_create(&threads[i], NULL, work, &ranks[i]) != 0) return 1;
  }
  for (size_t i = 0; i < THREADS; ++i) pthread_join(threads[i], NULL);

  /* No heat has reached the ends of the rod, so none is lost. */
  perseid_phase("check");
  const int is_right = fabs(total() - 1000) < 1e-6;
  perseid_phase(NULL);
  printf("heat after %d steps: %s\n", STEPS, is_right ? "conserved" : "LOST");
  free(now);
  free(next);
  return is_right ? 0 : 1;
}
