/* Events that come late: from threads during exit, from handlers, destructors and key destructors.
 *
 *   late HOW   return, exit, quick_exit, pthread_exit, outlive, thread_exit */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "include/perseid.h"

static pthread_key_t g_key;

static void at_exit(void) { perseid_instant("atexit"); }
static void at_quick_exit_too(void) { perseid_instant("at_quick_exit"); }
__attribute__((destructor)) static void destroy(void) { perseid_instant("destructor"); }
static void end_of_thread(void* unused) {
  (void)unused;
  perseid_instant("key destructor");
}

static void* emit_for_ever(void* unused) {
  for (uint64_t i = 0; i < UINT64_C(1) << 34; ++i) {
    perseid_begin("endless");
    perseid_end();
  }
  return unused;
}

static void* emit_later(void* unused) {
  pthread_setspecific(g_key, &g_key);
  usleep(200 * 1000);
  perseid_begin("after main");
  perseid_end();
  return unused;
}

static void* exit_from_thread(void* unused) {
  perseid_instant("exiting thread");
  exit(5);
  return unused;
}

int main(int argc, char** argv) {
  const char* how = argc > 1 ? argv[1] : "return";
  pthread_t thread;
  atexit(at_exit);
  at_quick_exit(at_quick_exit_too);
  pthread_key_create(&g_key, end_of_thread);
  perseid_instant("main");
  if (strcmp(how, "pthread_exit") == 0) {
    pthread_create(&thread, NULL, emit_later, NULL);
    pthread_detach(thread);
    pthread_exit(NULL);
  }
  if (strcmp(how, "thread_exit") == 0) {
    pthread_create(&thread, NULL, exit_from_thread, NULL);
    for (int i = 0; i < 3000; ++i) usleep(10000);
  }
  if (strcmp(how, "outlive") == 0)
    for (int i = 0; i < 3; ++i) pthread_create(&thread, NULL, emit_for_ever, NULL);
  if (strcmp(how, "outlive") == 0) usleep(20 * 1000);
  if (strcmp(how, "quick_exit") == 0) quick_exit(6);
  if (strcmp(how, "exit") == 0) exit(0);
  return 0;
}
