/* named_tasks.c: tasks with names of their own, submitted by one thread while another only waits.
 */
#include <pthread.h>

#include "counted.h"

static struct starpu_codelet even = {.cpu_funcs = {counting_kernel}, .name = "even"};
static struct starpu_codelet odd = {.cpu_funcs = {counting_kernel}, .name = "odd"};
static const char* const names[] = {"zero", "one", "two", "three", "four", "five"};

static void* wait_for_all(void* argument) {
  (void)argument;
  starpu_task_wait_for_all();
  return NULL;
}

int main(void) {
  check(starpu_init(NULL) == 0, "starpu_init");
  pthread_t waiter;
  for (int i = 0; i < 6; ++i) {
    struct starpu_task* task = starpu_task_create();
    task->cl = i % 2 == 0 ? &even : &odd;
    task->name = names[i];
    submit(task);
  }
  pthread_create(&waiter, NULL, wait_for_all, NULL);
  pthread_join(waiter, NULL);
  starpu_task_wait_for_all();
  starpu_shutdown();
  report();
  return 0;
}
