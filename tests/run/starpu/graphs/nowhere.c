// tests/run/starpu/graphs/nowhere.c: tasks whose dependencies are compared with StarPU's own.
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
struct starpu_codelet rw1 = {
    .cpu_funcs = {work}, .name = "rw1", .nbuffers = 1, .modes = {STARPU_RW}};
struct starpu_codelet nw = {
    .where = STARPU_NOWHERE, .name = "nw", .nbuffers = 2, .modes = {STARPU_RW, STARPU_RW}};
struct starpu_codelet rw2 = {
    .cpu_funcs = {work}, .name = "rw2", .nbuffers = 2, .modes = {STARPU_RW, STARPU_RW}};
int main(void) {
  int x, y;
  starpu_data_handle_t h, g;
  if (starpu_init(NULL)) return 77;
  starpu_variable_data_register(&h, 0, (uintptr_t)&x, sizeof x);
  starpu_variable_data_register(&g, 0, (uintptr_t)&y, sizeof y);
  starpu_task_insert(&rw1, STARPU_RW, h, STARPU_NAME, "A", 0);
  starpu_task_insert(&rw2, STARPU_RW, h, STARPU_RW, g, STARPU_EXECUTE_WHERE,
                     (unsigned long long)STARPU_NOWHERE, STARPU_NAME, "N_task", 0);
  starpu_task_insert(&rw1, STARPU_RW, g, STARPU_NAME, "B", 0);
  starpu_task_wait_for_all();
  starpu_task_insert(&rw1, STARPU_RW, h, STARPU_NAME, "C", 0);
  starpu_task_insert(&nw, STARPU_RW, h, STARPU_RW, g, STARPU_NAME, "N_codelet", 0);
  starpu_task_insert(&rw1, STARPU_RW, g, STARPU_NAME, "D", 0);
  starpu_task_wait_for_all();
  starpu_data_unregister(h);
  starpu_data_unregister(g);
  starpu_shutdown();
  return 0;
}
