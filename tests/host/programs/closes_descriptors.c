/* Closes every descriptor in the middle of a run, and opens files of its own under the numbers. */
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "include/perseid.h"

enum { kOwnFiles = 150 };

int main(void) {
  for (uint64_t i = 0; i < 20000; ++i) perseid_flow_out(i);
  for (int fd = 3; fd < 1024; ++fd) close(fd);
  int own[kOwnFiles];
  for (int i = 0; i < kOwnFiles; ++i) {
    char name[32];
    snprintf(name, sizeof name, "own.%d", i);
    own[i] = open(name, O_RDWR | O_CREAT, 0600);
  }
  for (uint64_t i = 20000; i < 40000; ++i) perseid_flow_out(i);
  long bytes = 0;
  for (int i = 0; i < kOwnFiles; ++i) {
    struct stat facts;
    if (fstat(own[i], &facts) == 0) bytes += (long)facts.st_size;
  }
  printf("own bytes %ld\n", bytes);
  return 0;
}
