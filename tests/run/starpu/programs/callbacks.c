/* callbacks.c: callbacks of tasks and of codelets get their own arguments. */
#include "counted.h"

static long sum;

static void add(void* argument) {
  count(&called_back);
  __atomic_fetch_add(&sum, *(long*)argument, __ATOMIC_RELAXED);
}

static struct starpu_codelet codelet = {.cpu_funcs = {counting_kernel}, .name = "called back"};

int main(void) {
  check(starpu_init(NULL) == 0, "starpu_init");
  for (long i = 1; i <= 100; ++i) {
    struct starpu_task* task = starpu_task_create();
    long* number = malloc(sizeof *number);
    *number = i;
    task->cl = &codelet;
    task->callback_func = add;
    task->callback_arg = number;
    task->callback_arg_free = 1;
    submit(task);
  }
  struct starpu_task* empty = starpu_task_create();
  long thousand = 1000;
  empty->callback_func = add;
  empty->callback_arg = &thousand;
  submit(empty);
  starpu_task_wait_for_all();
  check(sum == 5050 + 1000, "every callback got its argument");
  starpu_shutdown();
  report();
  return 0;
}
