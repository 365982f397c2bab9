/* Threads that record 1, 2, 3, ... and note each number on a page of their own before and after:
 * what the page calls done must be in the capture, whatever ends this program.
 *
 *   storm_host PAGE THREADS CHURN
 *
 * Goes on until it is killed, or for 2^40 numbers. With CHURN a thread ends after so many numbers
 * and another one continues, so that rings change hands. The numbers of thread t begin at t << 40.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "include/perseid.h"

enum { kMaxThreads = 16 };

struct Line { /* a cache line of the page, which is aligned */
  uint64_t issued;
  uint64_t done;
  uint64_t unused[6];
};

static struct Line* g_page;
static uint64_t g_churn;

static void* emit_numbers(void* argument) {
  const size_t thread = (size_t)argument;
  struct Line* line = &g_page[thread];
  for (uint64_t n = line->done + 1; n < UINT64_C(1) << 40; ++n) {
    __atomic_store_n(&line->issued, n, __ATOMIC_RELEASE);
    perseid_flow_out(((uint64_t)thread << 40) + n);
    __atomic_store_n(&line->done, n, __ATOMIC_RELEASE);
    if (g_churn && n % g_churn == 0) {
      pthread_t next;
      pthread_attr_t attributes;
      pthread_attr_init(&attributes);
      pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
      return pthread_create(&next, &attributes, emit_numbers, argument) ? argument : NULL;
    }
  }
  return NULL;
}

int main(int argc, char** argv) {
  if (argc < 4) return 2;
  const size_t threads = strtoul(argv[2], NULL, 10);
  g_churn = strtoull(argv[3], NULL, 10);
  if (threads == 0 || threads > kMaxThreads) return 2;
  const int fd = open(argv[1], O_RDWR | O_CREAT, 0600);
  const size_t bytes = kMaxThreads * sizeof *g_page;
  if (fd < 0 || ftruncate(fd, (off_t)bytes) != 0) return 3;
  g_page = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  close(fd);
  if (g_page == MAP_FAILED) return 3;
  for (size_t t = 0; t < threads; ++t) {
    pthread_t id;
    if (pthread_create(&id, NULL, emit_numbers, (void*)t) != 0) return 4;
  }
  for (;;) pause();
}
