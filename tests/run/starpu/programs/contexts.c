/* contexts.c: contexts come and go, each with a policy of its own. */
#include "counted.h"

static struct starpu_codelet codelet = {.cpu_funcs = {counting_kernel}, .name = "in a context"};

int main(void) {
  check(starpu_init(NULL) == 0, "starpu_init");
  int workers[STARPU_NMAXWORKERS];
  const int count_of_workers = (int)starpu_worker_get_count();
  for (int i = 0; i < count_of_workers; ++i) workers[i] = i;
  const char* policies[] = {"eager", "prio", "lws", "dmda"};
  for (int round = 0; round < 4; ++round) {
    const unsigned context = starpu_sched_ctx_create(
        workers, count_of_workers, "ours", STARPU_SCHED_CTX_POLICY_NAME, policies[round], 0);
    for (int i = 0; i < 10; ++i) {
      struct starpu_task* task = starpu_task_create();
      task->cl = &codelet;
      count(&submitted);
      check(starpu_task_submit_to_ctx(task, context) == 0, "starpu_task_submit_to_ctx");
    }
    starpu_task_wait_for_all_in_ctx(context);
    starpu_sched_ctx_delete(context);
  }
  starpu_shutdown();
  report();
  return 0;
}
