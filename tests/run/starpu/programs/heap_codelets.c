/* heap_codelets.c: the memory of a codelet is reused with other functions, copied, and freed. */
#include <string.h>

#include "counted.h"

static int ran[3];
static void first(void* buffers[], void* argument) {
  count(&ran[0]);
  counting_kernel(buffers, argument);
}
static void second(void* buffers[], void* argument) {
  count(&ran[1]);
  counting_kernel(buffers, argument);
}
static void third(void* buffers[], void* argument) {
  count(&ran[2]);
  counting_kernel(buffers, argument);
}

static void run(struct starpu_codelet* codelet) {
  struct starpu_task* task = starpu_task_create();
  task->cl = codelet;
  submit(task);
  starpu_task_wait_for_all();
}

int main(void) {
  check(starpu_init(NULL) == 0, "starpu_init");
  const starpu_cpu_func_t functions[3] = {first, second, third};
  for (int i = 0; i < 30; ++i) {
    struct starpu_codelet* codelet = malloc(sizeof *codelet);
    starpu_codelet_init(codelet);
    codelet->cpu_funcs[0] = functions[i % 3];
    run(codelet);
    struct starpu_codelet* copy = malloc(sizeof *copy);
    memcpy(copy, codelet, sizeof *copy);
    memset(codelet, 0xa5, sizeof *codelet);
    free(codelet);
    run(copy);
    copy->cpu_funcs[0] = functions[(i + 1) % 3];
    run(copy);
    free(copy);
  }
  check(ran[0] == 30 && ran[1] == 30 && ran[2] == 30, "each codelet ran its own function");
  starpu_shutdown();
  report();
  return 0;
}
