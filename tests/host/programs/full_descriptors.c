/* Opens files until no descriptor is left, before its first event. */
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "include/perseid.h"

int main(void) {
  int count = 0;
  while (open("/dev/null", O_RDONLY) >= 0) ++count;
  perseid_begin("no descriptor left");
  perseid_end();
  for (uint64_t i = 0; i < 100000; ++i) perseid_flow_out(i);
  printf("opened %d\n", count);
  return 0;
}
