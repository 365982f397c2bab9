/* Records COUNT numbers with a short pause before each, as a program does that works in between.
 *
 *   paced COUNT
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "include/perseid.h"

static long long now_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1000000000LL + now.tv_nsec;
}

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  const uint64_t count = strtoull(argv[1], NULL, 10);
  for (uint64_t i = 0; i < count; ++i) {
    const long long next_ns = now_ns() + 300;
    while (now_ns() < next_ns) {
    }
    perseid_flow_out(i);
  }
  puts("done");
  return 0;
}
