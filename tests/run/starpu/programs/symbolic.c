/* symbolic.c: starts and stops the StarPU of symbolic_starpu.c. */
#include <stddef.h>

int starpu_init(void* conf);
int starpu_task_insert(void* codelet, ...);
void starpu_shutdown(void);

int main(void) {
  int codelet = 0;
  if (starpu_init(NULL) != 0 || starpu_task_insert(&codelet, 0) != 0) return 1;
  starpu_shutdown();
  return 0;
}
