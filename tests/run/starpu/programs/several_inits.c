/* several_inits.c: StarPU comes and goes three times. */
#include "counted.h"

static struct starpu_codelet codelet = {.cpu_funcs = {counting_kernel}, .name = "again"};

int main(void) {
  for (int round = 0; round < 3; ++round) {
    check(starpu_init(NULL) == 0, "starpu_init");
    for (int i = 0; i < 20; ++i) {
      struct starpu_task* task = starpu_task_create();
      task->cl = &codelet;
      submit(task);
    }
    starpu_task_wait_for_all();
    starpu_shutdown();
  }
  report();
  return 0;
}
