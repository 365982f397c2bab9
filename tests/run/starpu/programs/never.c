/* never.c: linked with StarPU, but does not use it. */
#include "counted.h"

int main(int argc, char** argv) {
  (void)argv;
  if (argc > 5) check(starpu_init(NULL) == 0, "starpu_init");
  report();
  return 0;
}
