/* Writes to both outputs with and without buffering, and records a little. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "include/perseid.h"

int main(int argc, char** argv) {
  const int events = argc > 1 ? atoi(argv[1]) : 1;
  for (int i = 0; i < events; ++i) {
    perseid_begin("hello");
    printf("line %d\n", i);
    perseid_end();
  }
  fflush(stdout);
  if (write(STDOUT_FILENO, "raw\n", 4) != 4) return 1;
  printf("no newline at the end");
  return 0;
}
