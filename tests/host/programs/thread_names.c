/* Threads named in every way a program has. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

#include "include/perseid.h"

static void* named_before(void* unused) {
  pthread_setname_np(pthread_self(), "before");
  perseid_instant("before");
  return unused;
}
static void* named_after(void* unused) {
  perseid_instant("after");
  pthread_setname_np(pthread_self(), "after");
  return unused;
}
static void* named_by_us(void* unused) {
  pthread_setname_np(pthread_self(), "kernel's");
  perseid_name_thread("a name longer than the kernel's fifteen letters");
  perseid_instant("ours");
  pthread_setname_np(pthread_self(), "renamed");
  return unused;
}
static void* unnamed(void* unused) {
  perseid_instant("unnamed");
  return unused;
}

int main(void) {
  void* (*const bodies[])(void*) = {named_before, named_after, named_by_us, unnamed};
  for (size_t i = 0; i < sizeof bodies / sizeof *bodies; ++i) {
    pthread_t thread;
    pthread_create(&thread, NULL, bodies[i], NULL);
    pthread_join(thread, NULL);
  }
  perseid_instant("main");
  return 0;
}
