/* Threads that record 0, 1, 2, ... and note in a shared page how far they are.
 *
 *   numbers THREADS COUNT [ORACLE [END MILLISECONDS]]
 *
 * COUNT 0 goes on until END (segv, abort, exit or wait) comes, MILLISECONDS after the start. The
 * numbers of thread t begin at t << 40. ORACLE is a file with room for one 64-byte line per thread.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "include/perseid.h"

enum { kMaxThreads = 64, kLine = 8 };

static uint64_t g_count;
static volatile uint64_t* g_oracle;

static void* emit_numbers(void* argument) {
  const uint64_t thread = (uint64_t)(size_t)argument;
  const uint64_t end = g_count ? g_count : UINT64_C(1) << 32;
  for (uint64_t i = 0; i < end; ++i) {
    perseid_flow_out((thread << 40) + i);
    if (g_oracle) __atomic_store_n(&g_oracle[thread * kLine], i + 1, __ATOMIC_RELEASE);
  }
  return NULL;
}

static void map_oracle(const char* path, size_t threads) {
  const int fd = open(path, O_RDWR | O_CREAT, 0600);
  const size_t bytes = threads * kLine * sizeof *g_oracle;
  if (fd < 0 || ftruncate(fd, (off_t)bytes) != 0) exit(3);
  void* at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  close(fd);
  if (at == MAP_FAILED) exit(3);
  g_oracle = at;
}

static void end_by(const char* end) {
  if (strcmp(end, "segv") == 0) raise(SIGSEGV);
  if (strcmp(end, "abort") == 0) abort();
  if (strcmp(end, "exit") == 0) exit(0);
  for (;;) pause();
}

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  const size_t threads = strtoul(argv[1], NULL, 10);
  g_count = strtoull(argv[2], NULL, 10);
  if (threads == 0 || threads > kMaxThreads) return 2;
  if (argc > 3 && strcmp(argv[3], "-") != 0) map_oracle(argv[3], threads);
  pthread_t ids[kMaxThreads];
  for (size_t t = 0; t < threads; ++t) pthread_create(&ids[t], NULL, emit_numbers, (void*)t);
  if (argc > 5) {
    usleep((useconds_t)strtoul(argv[5], NULL, 10) * 1000);
    end_by(argv[4]);
  }
  for (size_t t = 0; t < threads; ++t) pthread_join(ids[t], NULL);
  puts("done");
  return 0;
}
