// tests/run/starpu/graphs/dag.c: tasks whose dependencies are compared with StarPU's own.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "versions.h"
static void spin(double us) {
  double t = starpu_timing_now();
  while (starpu_timing_now() - t < us)
    ;
}
static int maxus = 100;
void work(void* b[], void* a) {
  (void)b;
  (void)a;
  struct starpu_task* t = starpu_task_get_current();
  spin(1 + ((uintptr_t)t->callback_arg) % maxus);
}
static int N, H;
static starpu_data_handle_t h[1000];
static int v[1000];
struct starpu_perfmodel pm = {.type = STARPU_HISTORY_BASED, .symbol = "dagmodel"};
struct starpu_codelet cl = {
    .cpu_funcs = {work}, .name = "dagcl", .nbuffers = STARPU_VARIABLE_NBUFFERS, .model = &pm};
struct starpu_codelet cl0 = {.cpu_funcs = {work}, .name = "dagcl0", .nbuffers = 0};
static void cbf(void* a) { (void)a; }
int main(int c, char** a) {
  N = c > 1 ? atoi(a[1]) : 500;
  H = c > 2 ? atoi(a[2]) : 20;
  unsigned seed = c > 3 ? atoi(a[3]) : 1;
  int expl = c > 4 ? atoi(a[4]) : 1;
  maxus = c > 5 ? atoi(a[5]) : 100;
  int tags = c > 6 ? atoi(a[6]) : 0;
  srand(seed);
  if (starpu_init(NULL)) return 77;
  for (int i = 0; i < H; i++) {
    starpu_variable_data_register(&h[i], STARPU_MAIN_RAM, (uintptr_t)&v[i], sizeof(int));
    starpu_data_set_coordinates(h[i], 2, i / 5, i % 5);
    if (i % 2) starpu_data_set_name(h[i], "odd");
  }
  struct starpu_task** t = malloc(N * sizeof *t);
  for (int i = 0; i < N; i++) {
    if (i % 50 == 0) {
      if (i) starpu_iteration_pop();
      starpu_iteration_push(i / 50);
    }
    t[i] = starpu_task_create();
    t[i]->destroy = 0;
    t[i]->detach = 0;
    int nb = 1 + rand() % 3;
    if (rand() % 10 == 0) {
      t[i]->cl = &cl0;
      nb = 0;
    } else {
      t[i]->cl = &cl;
      t[i]->nbuffers = nb;
    }
    int used[3] = {-1, -1, -1};
    for (int k = 0; k < nb; k++) {
      int x;
      do {
        x = rand() % H;
      } while (x == used[0] || x == used[1]);
      used[k] = x;
      t[i]->handles[k] = h[x];
      int r = rand() % 10;
      t[i]->modes[k] = r < 5   ? STARPU_R
                       : r < 8 ? STARPU_RW
                       : r < 9 ? STARPU_W
                               : (STARPU_RW | STARPU_COMMUTE);
    }
    t[i]->priority = rand() % 3;
    t[i]->callback_arg = (void*)(uintptr_t)rand();
    if (rand() % 4 == 0) t[i]->callback_func = cbf;
    t[i]->flops = 1000000 * (1 + rand() % 5);
    if (tags) {
      t[i]->use_tag = 1;
      t[i]->tag_id = 0x1000 + i;
      if (i > 3 && rand() % 3 == 0) {
        starpu_tag_t d[2] = {0x1000 + rand() % i, 0x1000 + rand() % i};
        starpu_tag_declare_deps_array(0x1000 + i, 2, d);
      }
    }
    if (expl && i > 3 && rand() % 4 == 0) {
      struct starpu_task* d[2] = {t[rand() % i], t[rand() % i]};
      starpu_task_declare_deps_array(t[i], d[0] == d[1] ? 1 : 2, d);
    }
    int r = starpu_task_submit(t[i]);
    if (r) {
      fprintf(stderr, "submit %d\n", r);
      return 1;
    }
  }
  starpu_iteration_pop();
  starpu_task_wait_for_all();
  for (int i = 0; i < N; i++) starpu_task_destroy(t[i]);
  for (int i = 0; i < H; i++) starpu_data_unregister(h[i]);
  starpu_shutdown();
  return 0;
}
