/* Counts the calls of malloc and its family that a new thread's first events make. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "include/perseid.h"

extern void* __libc_malloc(size_t bytes);
extern void* __libc_calloc(size_t count, size_t bytes);
static __thread int t_is_watched;
static unsigned long g_allocations;

void* malloc(size_t bytes) {
  if (t_is_watched) __atomic_fetch_add(&g_allocations, 1, __ATOMIC_RELAXED);
  return __libc_malloc(bytes);
}
void* calloc(size_t count, size_t bytes) {
  if (t_is_watched) __atomic_fetch_add(&g_allocations, 1, __ATOMIC_RELAXED);
  return __libc_calloc(count, bytes);
}

static void* emit(void* unused) {
  t_is_watched = 1;
  perseid_begin("first");
  perseid_end();
  t_is_watched = 0;
  return unused;
}

int main(void) {
  perseid_instant("the session starts");
  for (int i = 0; i < 50; ++i) {
    pthread_t thread;
    pthread_create(&thread, NULL, emit, NULL);
    pthread_join(thread, NULL);
  }
  printf("%lu allocations\n", g_allocations);
  return 0;
}
