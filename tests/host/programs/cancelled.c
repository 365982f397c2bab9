/* A thread with a pending cancellation records a lot, then meets its own cancellation point. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

#include "include/perseid.h"

static int g_is_cancelled;
static int g_reached;
static int g_cleaned_up;

static void clean_up(void* unused) {
  (void)unused;
  g_cleaned_up = 1;
}

static void* emit(void* unused) {
  pthread_cleanup_push(clean_up, NULL);
  while (!__atomic_load_n(&g_is_cancelled, __ATOMIC_ACQUIRE)) {
  }
  perseid_begin("the first event opens files");
  for (uint64_t i = 0; i < 100000; ++i) perseid_flow_out(i);
  perseid_end();
  g_reached = 1;
  pthread_testcancel();
  g_reached = 2;
  pthread_cleanup_pop(0);
  return unused;
}

int main(void) {
  pthread_t thread;
  void* result = NULL;
  pthread_create(&thread, NULL, emit, NULL);
  pthread_cancel(thread);
  __atomic_store_n(&g_is_cancelled, 1, __ATOMIC_RELEASE);
  pthread_join(thread, &result);
  printf("reached %d cancelled %d cleaned %d\n", g_reached, result == PTHREAD_CANCELED,
         g_cleaned_up);
  return 0;
}
