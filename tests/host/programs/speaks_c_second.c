/* A second file of the same program: both share one pointer to the library. */
#include "include/perseid.h"

int speaks_c_second(void);

int speaks_c_second(void) {
  perseid_instant("c second file");
  return perseid_is_here() ? 0 : 1;
}
