/* Thousands of threads, a few at a time, each recording a little.
 *
 *   many_threads COUNT AT_ONCE EVENTS [STACK_BYTES [stay]] */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#include "include/perseid.h"

enum { kMaxAtOnce = 4096 };
static uint64_t g_events;
static pthread_barrier_t g_barrier;
static int g_has_barrier;

static void* emit(void* argument) {
  const uint64_t first = (uint64_t)(size_t)argument << 32;
  for (uint64_t i = 0; i < g_events; ++i) perseid_flow_out(first + i);
  if (g_has_barrier) pthread_barrier_wait(&g_barrier);
  return NULL;
}

int main(int argc, char** argv) {
  if (argc < 4) return 2;
  const size_t count = strtoul(argv[1], NULL, 10);
  const size_t at_once = strtoul(argv[2], NULL, 10);
  g_events = strtoull(argv[3], NULL, 10);
  if (at_once == 0 || at_once > kMaxAtOnce) return 2;
  static pthread_t threads[kMaxAtOnce];
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  if (argc > 4) pthread_attr_setstacksize(&attributes, strtoul(argv[4], NULL, 10));
  g_has_barrier = count == at_once;
  if (g_has_barrier) pthread_barrier_init(&g_barrier, NULL, (unsigned)at_once);
  for (size_t done = 0; done < count; done += at_once) {
    for (size_t i = 0; i < at_once; ++i)
      if (pthread_create(&threads[i], &attributes, emit, (void*)(done + i + 1)) != 0) return 3;
    for (size_t i = 0; i < at_once; ++i) pthread_join(threads[i], NULL);
  }
  struct rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  printf("peak %ld KiB\n", usage.ru_maxrss);
  fflush(stdout);
  if (argc > 5) pause();
  return 0;
}
