/* synchronous.c: each submission returns when its task has ended. */
#include "counted.h"

static struct starpu_codelet codelet = {.cpu_funcs = {counting_kernel}, .name = "synchronous"};

int main(void) {
  check(starpu_init(NULL) == 0, "starpu_init");
  for (int i = 0; i < 10; ++i) {
    struct starpu_task* task = starpu_task_create();
    task->cl = &codelet;
    task->synchronous = 1;
    submit(task);
    check(executed == i + 1, "the task has ended");
  }
  starpu_shutdown();
  report();
  return 0;
}
