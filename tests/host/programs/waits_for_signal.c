/* Records, says so, and then works until a signal ends it.
 *
 *   waits_for_signal HANDLING SIGNAL [THREADS]
 *
 * HANDLING is default, own (a handler that exits with 7), late (the same, but installed after the
 * first event) or ignore (SIGNAL is ignored; a line from standard output's file is not awaited:
 * the program ends by itself after two seconds with 8). */
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "include/perseid.h"

static int g_has_threads;

static void own_handler(int signal) {
  (void)signal;
  perseid_instant("own handler");
  exit(7);
}

static void* emit(void* argument) {
  const uint64_t first = (uint64_t)(size_t)argument << 40;
  for (uint64_t i = 0; i < UINT64_C(1) << 32; ++i) perseid_flow_out(first + i);
  return NULL;
}

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  const char* handling = argv[1];
  const int number = atoi(argv[2]);
  const int threads = argc > 3 ? atoi(argv[3]) : 0;
  if (strcmp(handling, "own") == 0) signal(number, own_handler);
  if (strcmp(handling, "ignore") == 0) signal(number, SIG_IGN);
  perseid_begin("work");
  perseid_instant("before");
  if (strcmp(handling, "late") == 0) signal(number, own_handler);
  for (int t = 1; t <= threads; ++t) {
    pthread_t thread;
    g_has_threads = 1;
    pthread_create(&thread, NULL, emit, (void*)(size_t)t);
  }
  puts("ready");
  fflush(stdout);
  const int is_ignored = strcmp(handling, "ignore") == 0;
  for (int i = 0; i < (is_ignored ? 200 : 6000); ++i) usleep(10000);
  perseid_end();
  return 8;
}
