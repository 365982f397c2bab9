/* What a process can see of us: its threads, handlers and files. Records only if told to. */
#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "include/perseid.h"

static int count_entries(const char* directory) {
  DIR* opened = opendir(directory);
  int count = 0;
  if (!opened) return -1;
  while (readdir(opened)) ++count;
  closedir(opened);
  return count - 2;
}

int main(int argc, char** argv) {
  struct sigaction term;
  if (argc > 1 && strcmp(argv[1], "record") == 0) perseid_instant("something");
  sigaction(SIGTERM, NULL, &term);
  /* opendir's own descriptor is one of them. */
  printf("threads %d handlers %d descriptors %d here %d\n", count_entries("/proc/self/task"),
         term.sa_handler != SIG_DFL, count_entries("/proc/self/fd") - 1, perseid_is_here());
  return 0;
}
