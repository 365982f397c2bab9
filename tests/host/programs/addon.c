/* A shared library with annotations of its own, loaded while the program runs. */
#include "include/perseid.h"

__attribute__((visibility("default"))) void addon_work(void);

void addon_work(void) {
  perseid_begin("addon");
  perseid_end();
}
