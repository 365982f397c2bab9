/* Brings the library in by dlopen, as often as told, and closes it again.
 *
 *   opens_library PATH TIMES */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

#include "include/perseid.h"

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  printf("here %d\n", perseid_is_here());
  for (int i = 0; i < atoi(argv[2]); ++i) {
    void* library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
    if (!library) {
      puts(dlerror());
      return 3;
    }
    perseid_instant("opened");
    dlclose(library);
    perseid_instant("closed");
  }
  printf("here %d\n", perseid_is_here());
  return 0;
}
