/* parallel.c: tasks that several workers run together, with a function on each or on one. */
#include "counted.h"

static struct starpu_codelet spmd = {
    .cpu_funcs = {counting_kernel}, .type = STARPU_SPMD, .max_parallelism = 8, .name = "spmd"};
static struct starpu_codelet fork_join = {.cpu_funcs = {counting_kernel},
                                          .type = STARPU_FORKJOIN,
                                          .max_parallelism = 8,
                                          .name = "fork_join"};

int main(void) {
  struct starpu_conf conf;
  starpu_conf_init(&conf);
  conf.sched_policy_name = "peager";
  check(starpu_init(&conf) == 0, "starpu_init");
  for (int i = 0; i < 5; ++i) {
    count(&submitted);
    check(starpu_task_insert(&spmd, 0) == 0, "starpu_task_insert");
    count(&submitted);
    check(starpu_task_insert(&fork_join, 0) == 0, "starpu_task_insert");
    starpu_task_wait_for_all();
  }
  starpu_shutdown();
  report();
  return 0;
}
