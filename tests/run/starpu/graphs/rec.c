// tests/run/starpu/graphs/rec.c: tasks whose dependencies are compared with StarPU's own.
// tasks submitted from tasks and callbacks, empty chain, sync inside
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
struct starpu_codelet w = {.cpu_funcs = {work}, .name = "w", .nbuffers = 1, .modes = {STARPU_RW}};
struct starpu_codelet n = {.cpu_funcs = {work}, .name = "n", .nbuffers = 0};
int main(int c, char** v) {
  int x;
  starpu_data_handle_t h;
  if (starpu_init(NULL)) return 77;
  starpu_variable_data_register(&h, 0, (uintptr_t)&x, sizeof x);
  /* chain of K empty tasks between A and B */
  int K = c > 1 ? atoi(v[1]) : 3;
  struct starpu_task* p = starpu_task_build(&n, STARPU_NAME, "A", 0);
  struct starpu_task* first = p;
  struct starpu_task* all[200];
  for (int i = 0; i < K; i++) {
    struct starpu_task* e = starpu_task_create();
    e->cl = NULL;
    e->name = "empty";
    e->destroy = 0;
    e->detach = 0;
    starpu_task_declare_deps(e, 1, p);
    all[i] = e;
    p = e;
  }
  struct starpu_task* b = starpu_task_build(&n, STARPU_NAME, "B", 0);
  starpu_task_declare_deps(b, 1, p);
  starpu_task_submit(b);
  for (int i = K - 1; i >= 0; i--) starpu_task_submit(all[i]);
  starpu_task_submit(first);
  starpu_task_wait_for_all();
  for (int i = 0; i < K; i++) {
    starpu_task_wait(all[i]);
    starpu_task_destroy(all[i]);
  }
  starpu_data_unregister(h);
  starpu_shutdown();
  return 0;
}
