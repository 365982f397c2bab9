/* privileged.c: linked with the library, may be set-user-id or set-group-id. Prints whether the
 * system takes it for privileged, and whether annotations are recorded. */
#include <stdio.h>
#include <sys/auxv.h>

#include "include/perseid.h"

int main(void) {
  perseid_instant("here");
  printf("secure %lu here %d\n", getauxval(AT_SECURE), perseid_is_here());
  return 0;
}
