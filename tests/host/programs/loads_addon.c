/* Loads a shared library that carries annotations.
 *
 *   loads_addon PATH */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "include/perseid.h"

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  perseid_instant("program");
  void* addon = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
  if (!addon) {
    puts(dlerror());
    return 3;
  }
  void* symbol = dlsym(addon, "addon_work");
  void (*work)(void);
  if (!symbol) return 4;
  memcpy(&work, &symbol, sizeof work);
  work();
  return 0;
}
