/* symbolic_starpu.c: as much of a StarPU as a program needs that only starts and stops it, linked
 * with -Bsymbolic, so that it calls its own functions whatever others define. */
#include <stddef.h>

int starpu_initialize(void* conf, int* argc, char*** argv);
int starpu_task_submit(void* task);

int starpu_is_initialized(void) { return 0; }

int starpu_initialize(void* conf, int* argc, char*** argv) {
  (void)conf;
  (void)argc;
  (void)argv;
  return 0;
}

int starpu_init(void* conf) { return starpu_initialize(conf, NULL, NULL); }

int starpu_task_submit(void* task) {
  (void)task;
  return 0;
}

int starpu_task_insert(void* codelet, ...) { return starpu_task_submit(codelet); }

const char* starpu_task_get_name(void* task) {
  (void)task;
  return "double";
}

void starpu_get_version(int* major, int* minor, int* release) {
  *major = 1;
  *minor = 3;
  *release = 0;
}

void starpu_shutdown(void) {}
