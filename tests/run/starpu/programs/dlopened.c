/* dlopened.c: StarPU is loaded by dlopen with RTLD_LOCAL, as from a script or a plugin. */
#include <dlfcn.h>

#include "counted.h"

static struct starpu_codelet codelet = {.cpu_funcs = {counting_kernel}, .name = "dlopened"};

int main(int argc, char** argv) {
  check(argc == 2, "usage: dlopened LIBSTARPU");
  void* starpu = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
  check(starpu != NULL, "dlopen");
  int (*init)(struct starpu_conf*) =
      __extension__(int (*)(struct starpu_conf*)) dlsym(starpu, "starpu_init");
  int (*insert)(struct starpu_codelet*, ...) =
      __extension__(int (*)(struct starpu_codelet*, ...)) dlsym(starpu, "starpu_task_insert");
  void (*finish)(void) = __extension__(void (*)(void)) dlsym(starpu, "starpu_shutdown");
  check(init(NULL) == 0, "starpu_init");
  for (int i = 0; i < 25; ++i) {
    count(&submitted);
    check(insert(&codelet, 0) == 0, "starpu_task_insert");
  }
  finish();
  report();
  return 0;
}
