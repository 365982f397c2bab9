/* regenerated.c: one submission, five executions. */
#include "counted.h"

static struct starpu_codelet codelet = {.cpu_funcs = {counting_kernel}, .name = "regenerated"};

static void stop_after_five(void* argument) {
  struct starpu_task* task = argument;
  count(&called_back);
  if (executed >= 5) task->regenerate = 0;
}

int main(void) {
  check(starpu_init(NULL) == 0, "starpu_init");
  struct starpu_task task;
  starpu_task_init(&task);
  task.cl = &codelet;
  task.regenerate = 1;
  task.callback_func = stop_after_five;
  task.callback_arg = &task;
  submit(&task);
  starpu_task_wait_for_all();
  starpu_task_clean(&task);
  starpu_shutdown();
  report();
  return 0;
}
