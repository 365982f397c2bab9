// tests/run/starpu/graphs/reduxloop.c: tasks whose dependencies are compared with StarPU's own.
#include <stdio.h>
#include <stdlib.h>

#include "versions.h"
static void spin(double us) {
  double t = starpu_timing_now();
  while (starpu_timing_now() - t < us)
    ;
}
void init0(void* b[], void* a) {
  (void)a;
  *(int*)STARPU_VARIABLE_GET_PTR(b[0]) = 0;
}
void add2(void* b[], void* a) {
  (void)a;
  *(int*)STARPU_VARIABLE_GET_PTR(b[0]) += *(int*)STARPU_VARIABLE_GET_PTR(b[1]);
  spin(300);
}
void inc(void* b[], void* a) {
  (void)a;
  *(int*)STARPU_VARIABLE_GET_PTR(b[0]) += 1;
  spin(200);
}
void rd(void* b[], void* a) {
  (void)a;
  spin(100);
}
struct starpu_codelet
    ci = {.cpu_funcs = {init0}, .nbuffers = 1, .modes = {STARPU_W}, .name = "redux_init"},
    ca = {.cpu_funcs = {add2},
          .nbuffers = 2,
          .modes = {GRAPHS_JOIN_MODE, STARPU_R},
          .name = "redux_add"},
    cr = {.cpu_funcs = {inc}, .nbuffers = 1, .modes = {STARPU_REDUX}, .name = "contrib"},
    cd = {.cpu_funcs = {rd}, .nbuffers = 1, .modes = {STARPU_RW}, .name = "reader"};
int main(int c, char** v) {
  int it = atoi(v[1]), x = 0;
  starpu_data_handle_t h;
  if (starpu_init(NULL)) return 77;
  starpu_variable_data_register(&h, 0, (uintptr_t)&x, sizeof x);
  starpu_data_set_reduction_methods(h, &ca, &ci);
  for (int k = 0; k < it; k++) {
    for (int i = 0; i < 6; i++) starpu_task_insert(&cr, STARPU_REDUX, h, STARPU_NAME, "contrib", 0);
    starpu_task_insert(&cd, STARPU_RW, h, STARPU_NAME, "reader", 0);
  }
  starpu_task_wait_for_all();
  starpu_data_unregister(h);
  starpu_shutdown();
  return 0;
}
