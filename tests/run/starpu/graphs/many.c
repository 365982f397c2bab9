// tests/run/starpu/graphs/many.c: tasks whose dependencies are compared with StarPU's own.
#include <stdio.h>
#include <stdlib.h>

#include "versions.h"
void work(void* b[], void* a) {
  (void)b;
  (void)a;
}
struct starpu_codelet rw1 = {.cpu_funcs = {work},
                             .name = "rw1",
                             .nbuffers = 1,
                             .modes = {STARPU_RW}},
                      r1 = {.cpu_funcs = {work}, .name = "r1", .nbuffers = 1, .modes = {STARPU_R}};
int main(int c, char** v) {
  int n = atoi(v[1]);
  int it = atoi(v[2]);
  int x;
  starpu_data_handle_t h;
  if (starpu_init(NULL)) return 77;
  starpu_variable_data_register(&h, 0, (uintptr_t)&x, sizeof x);
  for (int k = 0; k < it; k++) {
    starpu_task_insert(&rw1, STARPU_RW, h, STARPU_NAME, "writer", 0);
    for (int i = 0; i < n; i++) starpu_task_insert(&r1, STARPU_R, h, STARPU_NAME, "reader", 0);
  }
  starpu_task_insert(&rw1, STARPU_RW, h, STARPU_NAME, "writer", 0);
  starpu_task_wait_for_all();
  starpu_data_unregister(h);
  starpu_shutdown();
  return 0;
}
