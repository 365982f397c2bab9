/* refused.c: a task that no worker can run is the program's again, as it was. */
#include <errno.h>

#include "counted.h"

static void on_device(void* buffers[], void* argument) { counting_kernel(buffers, argument); }
static void callback(void* argument) {
  (void)argument;
  count(&called_back);
}

static struct starpu_codelet nowhere = {.cuda_funcs = {on_device}, .name = "refused"};
static struct starpu_codelet good = {.cpu_funcs = {counting_kernel}, .name = "taken"};

int main(void) {
  check(starpu_init(NULL) == 0, "starpu_init");
  for (int i = 0; i < 3; ++i) {
    struct starpu_task* task = starpu_task_create();
    task->cl = &nowhere;
    task->callback_func = callback;
    check(starpu_task_submit(task) == -ENODEV, "ENODEV");
    check(task->callback_func == callback, "the callback is as it was");
    task->destroy = 0;
    starpu_task_destroy(task);
    task = starpu_task_create();
    task->cl = &good;
    submit(task);
  }
  starpu_task_wait_for_all();
  starpu_shutdown();
  report();
  return 0;
}
