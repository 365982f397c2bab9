/* old_fields.c: the function is in the single field that programs of long ago use. */
#include "counted.h"

#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
static struct starpu_codelet single = {.cpu_func = counting_kernel, .name = "single"};

static void other(void* buffers[], void* argument) { counting_kernel(buffers, argument); }
static struct starpu_codelet several = {
    .cpu_func = STARPU_MULTIPLE_CPU_IMPLEMENTATIONS,
    .cpu_funcs = {counting_kernel, other},
    .name = "several",
};

static void run(struct starpu_codelet* codelet) {
  struct starpu_task* task = starpu_task_create();
  task->cl = codelet;
  submit(task);
}

int main(void) {
  check(starpu_init(NULL) == 0, "starpu_init");
  for (int i = 0; i < 10; ++i) run(&single);
  for (int i = 0; i < 10; ++i) run(&several);
  starpu_task_wait_for_all();
  starpu_shutdown();
  report();
  return 0;
}
