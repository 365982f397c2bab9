/* exits_early.c: the process ends while StarPU's workers are still there. */
#include "counted.h"

static struct starpu_codelet codelet = {.cpu_funcs = {counting_kernel}, .name = "early"};

int main(void) {
  check(starpu_init(NULL) == 0, "starpu_init");
  for (int i = 0; i < 50; ++i) {
    struct starpu_task* task = starpu_task_create();
    task->cl = &codelet;
    submit(task);
  }
  starpu_task_wait_for_all();
  report();
  exit(0);
}
