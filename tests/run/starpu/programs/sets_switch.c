/* sets_switch.c VALUE: turns tracing on itself, as a server does that has a setting for it. */
#include "counted.h"
#include "include/perseid.h"

int main(int count_of_words, char** words) {
  check(!perseid_is_here(), "nothing is recorded before the switch is set");
  if (count_of_words > 1) setenv("STARPU_TRACE_PLUGIN", words[1], 1);
  check(starpu_init(NULL) == 0, "starpu_init");
  struct starpu_codelet codelet;
  starpu_codelet_init(&codelet);
  codelet.cpu_funcs[0] = counting_kernel;
  for (int i = 0; i < 20; ++i) {
    struct starpu_task* task = starpu_task_create();
    task->cl = &codelet;
    submit(task);
  }
  starpu_task_wait_for_all();
  check(perseid_is_here() == (count_of_words > 1), "annotations follow the switch");
  starpu_shutdown();
  report();
  return 0;
}
