/* Records an event, waits until the file "go" is there, and then records NAMES different names from
 * a thread that has just begun, so that every file of the capture grows.
 *
 *   names_on_request NAMES */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "include/perseid.h"

static unsigned long g_names;

static void* record(void* unused) {
  for (unsigned long i = 0; i < g_names; ++i) {
    char name[128];
    snprintf(name, sizeof name, "a name that takes some room in the file of names, number %lu", i);
    perseid_instant(name);
  }
  return unused;
}

int main(int argc, char** argv) {
  g_names = argc > 1 ? strtoul(argv[1], NULL, 10) : 1000;
  perseid_instant("first");
  puts("ready");
  fflush(stdout);
  for (int i = 0; i < 2000 && access("go", F_OK) != 0; ++i) usleep(10 * 1000);
  pthread_t thread;
  if (pthread_create(&thread, NULL, record, NULL) != 0) return 3;
  pthread_join(thread, NULL);
  puts("done");
  return 0;
}
