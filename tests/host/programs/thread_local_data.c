/* thread_local_data.c: every thread has KILOBYTES of its own, which the C library takes out of its
 * stack. The program uses them, so that no linker leaves them out. */
#include <pthread.h>
#include <stdio.h>

#include "include/perseid.h"

static __thread volatile char own[KILOBYTES * 1000];

static void* work(void* where) {
  perseid_begin("work");
  own[KILOBYTES * 500] = 1;
  own[KILOBYTES * 1000 - 1] = 2;
  perseid_end();
  *(int*)where = own[KILOBYTES * 500] + own[0] + own[KILOBYTES * 1000 - 1];
  return NULL;
}

int main(void) {
  int here = 0, there = 0;
  pthread_t thread;
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, KILOBYTES * 1000 + 1000 * 1000);
  if (pthread_create(&thread, &attributes, work, &there) != 0) return 2;
  pthread_join(thread, NULL);
  work(&here);
  printf("%d %d\n", here, there);
  return here == 3 && there == 3 ? 0 : 1;
}
