/* direct_calls.c: the program calls a codelet's function itself, inside and outside of a task. */
#include "counted.h"

static struct starpu_codelet inner = {.cpu_funcs = {counting_kernel}, .name = "inner"};

static void calls_inner(void* buffers[], void* argument) {
  inner.cpu_funcs[0](buffers, argument);
  count(&called_back);
}
static struct starpu_codelet outer = {.cpu_funcs = {calls_inner}, .name = "outer"};

static void run(struct starpu_codelet* codelet) {
  struct starpu_task* task = starpu_task_create();
  task->cl = codelet;
  submit(task);
  starpu_task_wait_for_all();
}

int main(void) {
  check(starpu_init(NULL) == 0, "starpu_init");
  for (int i = 0; i < 5; ++i) {
    run(&inner);
    run(&outer);
    inner.cpu_funcs[0](NULL, NULL);
  }
  check(executed == 15 && called_back == 5, "every call arrived");
  starpu_shutdown();
  report();
  return 0;
}
