/* Records, then prints its descriptors above 2; with an argument, those that an exec inherits.
 * A file that is just being opened has a low number for a moment: such a moment is let pass. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "include/perseid.h"

/* How many there are between 3 and 99, or -1. */
static int list(int is_shown) {
  int low = 0;
  DIR* opened = opendir("/proc/self/fd");
  if (!opened) return -1;
  for (struct dirent* entry = readdir(opened); entry; entry = readdir(opened)) {
    const int fd = atoi(entry->d_name);
    if (entry->d_name[0] == '.' || fd <= 2 || fd == dirfd(opened)) continue;
    if (fd < 100) ++low;
    if (is_shown) printf("fd %d\n", fd);
  }
  closedir(opened);
  return low;
}

int main(int argc, char** argv) {
  const int is_second = argc > 1 && strcmp(argv[1], "second") == 0;
  if (!is_second)
    for (uint64_t i = 0; i < 10000; ++i) perseid_flow_out(i);
  if (argc > 1 && !is_second) {
    execl(argv[0], argv[0], "second", (char*)NULL);
    return 3;
  }
  for (int i = 0; i < 100 && list(0) > 0; ++i) usleep(20 * 1000);
  return list(1) < 0;
}
