/* predicted.c: tasks whose length StarPU learns in the first wave and predicts in the second. Run
 * it with STARPU_SCHED=dmda. */
#include "counted.h"

static void spin(void* buffers[], void* argument) {
  (void)buffers;
  (void)argument;
  const double until = starpu_timing_now() + 200;
  while (starpu_timing_now() < until) {
  }
  count(&executed);
}

static struct starpu_perfmodel model = {.type = STARPU_HISTORY_BASED, .symbol = "perseid_spin"};
static struct starpu_codelet spinning = {
    .cpu_funcs = {spin}, .nbuffers = 1, .modes = {STARPU_R}, .model = &model, .name = "spinning"};

int main(void) {
  check(starpu_init(NULL) == 0, "starpu_init");
  static float values[64];
  starpu_data_handle_t data;
  starpu_vector_data_register(&data, STARPU_MAIN_RAM, (uintptr_t)values, 64, sizeof *values);
  for (int wave = 0; wave < 2; ++wave) {
    for (int i = 0; i < 40; ++i)
      check(starpu_task_insert(&spinning, STARPU_R, data, STARPU_PRIORITY, i % 3, 0) == 0,
            "starpu_task_insert");
    starpu_task_wait_for_all();
  }
  starpu_data_unregister(data);
  starpu_shutdown();
  report();
  return 0;
}
