/* without_push.c: tasks that no policy is asked about: for one worker, and in a context that has no
 * policy. */
#include "counted.h"

static struct starpu_codelet codelet = {.cpu_funcs = {counting_kernel}, .name = "placed"};

int main(void) {
  check(starpu_init(NULL) == 0, "starpu_init");
  for (int i = 0; i < 10; ++i) {
    struct starpu_task* task = starpu_task_create();
    task->cl = &codelet;
    task->execute_on_a_specific_worker = 1;
    task->workerid = 0;
    submit(task);
  }
  starpu_task_wait_for_all();
  int workers[] = {0};
  const unsigned context =
      starpu_sched_ctx_create(workers, 1, "bare", STARPU_SCHED_CTX_AWAKE_WORKERS, 0);
  for (int i = 0; i < 5; ++i) {
    struct starpu_task* task = starpu_task_create();
    task->cl = &codelet;
    task->name = "in a bare context";
    count(&submitted);
    check(starpu_task_submit_to_ctx(task, context) == 0, "starpu_task_submit_to_ctx");
  }
  starpu_task_wait_for_all_in_ctx(context);
  starpu_sched_ctx_delete(context);
  starpu_shutdown();
  report();
  return 0;
}
