// tests/run/starpu/graphs/part2.c: tasks whose dependencies are compared with StarPU's own.
#include <stdio.h>
#include <string.h>

#include "versions.h"
static void spin(double us) {
  double t = starpu_timing_now();
  while (starpu_timing_now() - t < us)
    ;
}
void work(void* b[], void* a) {
  (void)b;
  (void)a;
  spin(200);
}
struct starpu_codelet w1 = {.cpu_funcs = {work}, .name = "w1", .nbuffers = 1, .modes = {STARPU_W}},
                      rw1 = {.cpu_funcs = {work},
                             .name = "rw1",
                             .nbuffers = 1,
                             .modes = {STARPU_RW}},
                      r1 = {.cpu_funcs = {work}, .name = "r1", .nbuffers = 1, .modes = {STARPU_R}};
int main(int c, char** v) {
  int mode = c > 1 ? atoi(v[1]) : 0;
  static int V[64];
  if (starpu_init(NULL)) return 77;
  starpu_data_handle_t H, a[4], b[4];
  starpu_vector_data_register(&H, STARPU_MAIN_RAM, (uintptr_t)V, 64, sizeof(int));
  struct starpu_data_filter f = {.filter_func = starpu_vector_filter_block, .nchildren = 4};
  starpu_data_partition_plan(H, &f, a);
  starpu_data_partition_plan(H, &f, b);
  starpu_task_insert(&w1, STARPU_W, H, STARPU_NAME, "whole", 0);
  for (int i = 0; i < 4; i++) starpu_task_insert(&rw1, STARPU_RW, a[i], STARPU_NAME, "childA", 0);
  if (mode == 1) starpu_data_unpartition_submit(H, 4, a, STARPU_MAIN_RAM);
  if (mode == 2) starpu_task_insert(&r1, STARPU_R, H, STARPU_NAME, "whole_r", 0);
  if (mode != 3) starpu_data_partition_clean(H, 4, a);
  for (int i = 0; i < 4; i++) starpu_task_insert(&rw1, STARPU_RW, b[i], STARPU_NAME, "childB", 0);
  if (mode == 3) starpu_data_partition_clean(H, 4, a);
  starpu_data_partition_clean(H, 4, b);
  starpu_task_insert(&rw1, STARPU_RW, H, STARPU_NAME, "whole_end", 0);
  starpu_data_unregister(H);
  starpu_shutdown();
  return 0;
}
