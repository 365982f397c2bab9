/* many_threads.c: four threads of the program submit at the same time. */
#include <pthread.h>

#include "counted.h"

static struct starpu_codelet codelet = {.cpu_funcs = {counting_kernel}, .name = "from a thread"};

static void* submit_many(void* argument) {
  (void)argument;
  for (int i = 0; i < 250; ++i) {
    struct starpu_task* task = starpu_task_create();
    task->cl = &codelet;
    submit(task);
  }
  return NULL;
}

int main(void) {
  check(starpu_init(NULL) == 0, "starpu_init");
  pthread_t threads[4];
  for (int i = 0; i < 4; ++i) pthread_create(&threads[i], NULL, submit_many, NULL);
  for (int i = 0; i < 4; ++i) pthread_join(threads[i], NULL);
  starpu_task_wait_for_all();
  starpu_shutdown();
  report();
  return 0;
}
