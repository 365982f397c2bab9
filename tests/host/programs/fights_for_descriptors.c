/* Opens a file of its own under every number from 100 to 159 and closes them again, over and over,
 * while two threads record: whoever believes that a number there is his writes into that file.
 *
 *   fights_for_descriptors ROUNDS */
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "include/perseid.h"

static int g_must_stop;

static void* record(void* unused) {
  while (!__atomic_load_n(&g_must_stop, __ATOMIC_RELAXED)) {
    perseid_begin("event");
    perseid_end();
  }
  return unused;
}

int main(int argc, char** argv) {
  const long rounds = argc > 1 ? strtol(argv[1], NULL, 10) : 1000;
  perseid_instant("first");
  pthread_t threads[2];
  for (int i = 0; i < 2; ++i) pthread_create(&threads[i], NULL, record, NULL);
  for (long round = 0; round < rounds; ++round) {
    const int own = open("own", O_WRONLY | O_APPEND | O_CREAT, 0600);
    for (int fd = 100; fd < 160; ++fd) dup2(own, fd);
    for (int fd = 100; fd < 160; ++fd) close(fd);
    close(own);
  }
  __atomic_store_n(&g_must_stop, 1, __ATOMIC_RELAXED);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
  struct stat facts;
  printf("own bytes %ld\n", stat("own", &facts) == 0 ? (long)facts.st_size : -1L);
  return 0;
}
