/* static_tasks.c: tasks on the stack, waited for one by one and submitted again. */
#include "counted.h"

static struct starpu_codelet codelet = {.cpu_funcs = {counting_kernel}, .name = "static"};

int main(void) {
  check(starpu_init(NULL) == 0, "starpu_init");
  struct starpu_task tasks[4];
  for (int i = 0; i < 4; ++i) {
    starpu_task_init(&tasks[i]);
    tasks[i].cl = &codelet;
    tasks[i].detach = 0;
  }
  for (int round = 0; round < 5; ++round) {
    for (int i = 0; i < 4; ++i) submit(&tasks[i]);
    for (int i = 0; i < 4; ++i) check(starpu_task_wait(&tasks[i]) == 0, "starpu_task_wait");
  }
  for (int i = 0; i < 4; ++i) starpu_task_clean(&tasks[i]);
  starpu_shutdown();
  report();
  return 0;
}
