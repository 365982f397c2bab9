/* Records, then becomes another program that records. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "include/perseid.h"

int main(int argc, char** argv) {
  const int is_second = argc > 1 && strcmp(argv[1], "second") == 0;
  const uint64_t first = is_second ? UINT64_C(1) << 40 : 0;
  for (uint64_t i = 0; i < 5000; ++i) perseid_flow_out(first + i);
  if (is_second) return 0;
  execl(argv[0], argv[0], "second", (char*)NULL);
  return 3;
}
