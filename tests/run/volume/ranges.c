/* ranges THREADS COUNT: threads that record COUNT ranges each, as fast as they can. */
#define _GNU_SOURCE
#include <perseid.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { kMaxThreads = 64 };

static unsigned long g_count;

static void* record_ranges(void* unused) {
  (void)unused;
  for (unsigned long i = 0; i < g_count; ++i) {
    perseid_begin("step");
    perseid_end();
  }
  return NULL;
}

int main(int argc, char** argv) {
  const unsigned long threads = argc == 3 ? strtoul(argv[1], NULL, 10) : 0;
  if (threads == 0 || threads > kMaxThreads) return 2;
  g_count = strtoul(argv[2], NULL, 10);
  pthread_t ids[kMaxThreads];
  for (unsigned long t = 0; t < threads; ++t) pthread_create(&ids[t], NULL, record_ranges, NULL);
  for (unsigned long t = 0; t < threads; ++t) pthread_join(ids[t], NULL);
  printf("%lu\n", threads * g_count);
  return 0;
}
