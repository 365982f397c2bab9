// tests/run/starpu/graphs/deps.c: tasks whose dependencies are compared with StarPU's own.
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
void work(void* b[], void* a) {
  (void)b;
  (void)a;
  spin(200);
}
void init0(void* b[], void* a) {
  (void)a;
  *(int*)STARPU_VARIABLE_GET_PTR(b[0]) = 0;
  spin(50);
}
void add2(void* b[], void* a) {
  (void)a;
  *(int*)STARPU_VARIABLE_GET_PTR(b[0]) += *(int*)STARPU_VARIABLE_GET_PTR(b[1]);
  spin(50);
}
void inc(void* b[], void* a) {
  (void)a;
  *(int*)STARPU_VARIABLE_GET_PTR(b[0]) += 1;
  spin(200);
}
#define CL(n, ...) struct starpu_codelet n = {.cpu_funcs = {work}, .name = #n, __VA_ARGS__}
CL(w1, .nbuffers = 1, .modes = {STARPU_W});
CL(r1, .nbuffers = 1, .modes = {STARPU_R});
CL(rw1, .nbuffers = 1, .modes = {STARPU_RW});
CL(cw1, .nbuffers = 1, .modes = {STARPU_RW | STARPU_COMMUTE});
CL(none0, .nbuffers = 0);
CL(s1, .nbuffers = 1, .modes = {STARPU_SCRATCH});
CL(r2w, .nbuffers = 2, .modes = {STARPU_R, STARPU_RW});
CL(rr, .nbuffers = 2, .modes = {STARPU_R, STARPU_R});
struct starpu_codelet redux_init = {
    .cpu_funcs = {init0}, .nbuffers = 1, .modes = {STARPU_W}, .name = "redux_init"};
struct starpu_codelet redux_add = {
    .cpu_funcs = {add2}, .nbuffers = 2, .modes = {GRAPHS_JOIN_MODE, STARPU_R}, .name = "redux_add"};
struct starpu_codelet red1 = {
    .cpu_funcs = {inc}, .nbuffers = 1, .modes = {STARPU_REDUX}, .name = "red1"};
static int v[64];
static starpu_data_handle_t h[64];
static void reg(int i) {
  starpu_variable_data_register(&h[i], STARPU_MAIN_RAM, (uintptr_t)&v[i], sizeof(int));
}
static volatile int cbdone;
static void cb(void* a) {
  spin(500);
  starpu_data_release((starpu_data_handle_t)a);
  cbdone = 1;
}
#define INS(cl, ...)                              \
  do {                                            \
    int r = starpu_task_insert(&cl, __VA_ARGS__); \
    if (r) {                                      \
      fprintf(stderr, "insert %s %d\n", #cl, r);  \
      exit(1);                                    \
    }                                             \
  } while (0)
int main(int argc, char** argv) {
  const char* what = argc > 1 ? argv[1] : "all";
  int all = !strcmp(what, "all");
  int n;
  (void)n;
  if (starpu_init(NULL)) return 77;
  for (int i = 0; i < 40; i++) reg(i);
  if (all || !strcmp(what, "commute")) {
    INS(w1, STARPU_W, h[0], STARPU_NAME, "commute_first", 0);
    for (int i = 0; i < 4; i++)
      INS(cw1, STARPU_RW | STARPU_COMMUTE, h[0], STARPU_NAME, "commute_mid", 0);
    INS(r1, STARPU_R, h[0], STARPU_NAME, "commute_last", 0);
    for (int i = 0; i < 2; i++)
      INS(cw1, STARPU_RW | STARPU_COMMUTE, h[0], STARPU_NAME, "commute_mid2", 0);
    INS(rw1, STARPU_RW, h[0], STARPU_NAME, "commute_last2", 0);
    starpu_task_wait_for_all();
  }
  if (all || !strcmp(what, "redux")) {
    starpu_data_set_reduction_methods(h[1], &redux_add, &redux_init);
    INS(w1, STARPU_W, h[1], STARPU_NAME, "redux_first", 0);
    for (int i = 0; i < 6; i++) INS(red1, STARPU_REDUX, h[1], STARPU_NAME, "redux_contrib", 0);
    INS(r1, STARPU_R, h[1], STARPU_NAME, "redux_reader", 0);
    INS(r1, STARPU_R, h[1], STARPU_NAME, "redux_reader_b", 0);
    for (int i = 0; i < 3; i++) INS(red1, STARPU_REDUX, h[1], STARPU_NAME, "redux_contrib2", 0);
    INS(rw1, STARPU_RW, h[1], STARPU_NAME, "redux_writer", 0);
    starpu_task_wait_for_all();
  }
  if (all || !strcmp(what, "acquirecb")) {
    INS(w1, STARPU_W, h[2], STARPU_NAME, "acb_before", 0);
    starpu_data_acquire_cb(h[2], STARPU_R, cb, h[2]);
    INS(w1, STARPU_W, h[2], STARPU_NAME, "acb_after", 0);
    starpu_task_wait_for_all();
    INS(r1, STARPU_R, h[2], STARPU_NAME, "acb_rbefore", 0);
    starpu_data_acquire_cb(h[2], STARPU_RW, cb, h[2]);
    INS(r1, STARPU_R, h[2], STARPU_NAME, "acb_rafter", 0);
    starpu_task_wait_for_all();
  }
  if (all || !strcmp(what, "acquire")) {
    INS(w1, STARPU_W, h[3], STARPU_NAME, "acq_before", 0);
    starpu_data_acquire(h[3], STARPU_RW);
    spin(300);
    INS(rw1, STARPU_RW, h[3], STARPU_NAME, "acq_after_blocked", 0);
    spin(300);
    starpu_data_release(h[3]);
    starpu_task_wait_for_all();
  }
  if (all || !strcmp(what, "explicit")) {
    struct starpu_task* t[6];
    for (int i = 0; i < 6; i++) {
      t[i] = starpu_task_create();
      t[i]->cl = &none0;
      t[i]->destroy = 0;
      t[i]->detach = 0;
      t[i]->name = "expl";
    }
    struct starpu_task* d1[] = {t[0], t[1]};
    starpu_task_declare_deps_array(t[2], 2, d1);
    starpu_task_declare_deps(t[3], 1, t[2]);
    starpu_task_declare_end_deps(t[4], 1, t[3]);
    starpu_task_declare_deps(t[5], 1, t[4]);
    for (int i = 5; i >= 0; i--) starpu_task_submit(t[i]);
    for (int i = 0; i < 6; i++) starpu_task_wait(t[i]);
    for (int i = 0; i < 6; i++) starpu_task_destroy(t[i]);
  }
  if (all || !strcmp(what, "insertdeps")) {
    struct starpu_task* a = starpu_task_build(&none0, STARPU_NAME, "ins_a", 0);
    a->destroy = 0;
    a->detach = 0;
    struct starpu_task* b = starpu_task_build(&none0, STARPU_NAME, "ins_b", 0);
    b->destroy = 0;
    b->detach = 0;
    struct starpu_task* arr[] = {a, b};
    starpu_task_submit(a);
    starpu_task_submit(b);
    INS(none0, STARPU_TASK_DEPS_ARRAY, 2, arr, STARPU_NAME, "ins_c", 0);
    starpu_task_wait(a);
    starpu_task_wait(b);
    starpu_task_wait_for_all();
    starpu_task_destroy(a);
    starpu_task_destroy(b);
  }
  if (all || !strcmp(what, "tags")) {
    starpu_tag_declare_deps(0x100000003ULL, 2, (starpu_tag_t)0x100000001ULL,
                            (starpu_tag_t)0x100000002ULL);
    for (int i = 3; i >= 1; i--)
      INS(none0, STARPU_TAG_ONLY, (starpu_tag_t)(0x100000000ULL + i), STARPU_NAME, "tagonly", 0);
    starpu_tag_declare_deps(13, 2, (starpu_tag_t)11, (starpu_tag_t)12);
    for (int i = 13; i >= 11; i--)
      INS(none0, STARPU_TAG, (starpu_tag_t)i, STARPU_NAME, "tagged", 0);
    starpu_task_wait_for_all();
  }
  if (all || !strcmp(what, "noseq")) {
    starpu_data_set_sequential_consistency_flag(h[4], 0);
    INS(w1, STARPU_W, h[4], STARPU_NAME, "noseq_a", 0);
    INS(rw1, STARPU_RW, h[4], STARPU_NAME, "noseq_b", 0);
    INS(w1, STARPU_W, h[5], STARPU_NAME, "noseq_c", STARPU_SEQUENTIAL_CONSISTENCY, 0, 0);
    INS(rw1, STARPU_RW, h[5], STARPU_NAME, "seq_d", 0);
    starpu_task_wait_for_all();
  }
  if (all || !strcmp(what, "arbiter")) {
    starpu_arbiter_t ar = starpu_arbiter_create();
    starpu_data_assign_arbiter(h[6], ar);
    starpu_data_assign_arbiter(h[7], ar);
    INS(w1, STARPU_W, h[6], STARPU_NAME, "arb_first", 0);
    for (int i = 0; i < 4; i++)
      INS(cw1, STARPU_RW | STARPU_COMMUTE, h[6], STARPU_NAME, "arb_mid", 0);
    INS(r1, STARPU_R, h[6], STARPU_NAME, "arb_last", 0);
    starpu_task_wait_for_all();
    starpu_data_unregister(h[6]);
    starpu_data_unregister(h[7]);
    starpu_arbiter_destroy(ar);
    reg(6);
    reg(7);
  }
  if (all || !strcmp(what, "invalidate")) {
    INS(cw1, STARPU_RW | STARPU_COMMUTE, h[8], STARPU_NAME, "inv_a", 0);
    starpu_data_invalidate_submit(h[8]);
    INS(w1, STARPU_W, h[8], STARPU_NAME, "inv_b", 0);
    INS(cw1, STARPU_RW | STARPU_COMMUTE, h[8], STARPU_NAME, "inv_c", 0);
    starpu_data_set_reduction_methods(h[9], &redux_add, &redux_init);
    for (int k = 0; k < 2; k++) {
      for (int i = 0; i < 3; i++)
        INS(red1, STARPU_REDUX, h[9], STARPU_NAME, k ? "invred_2" : "invred_1", 0);
      if (!k) starpu_data_invalidate_submit(h[9]);
    }
    INS(r1, STARPU_R, h[9], STARPU_NAME, "invred_reader", 0);
    starpu_task_wait_for_all();
  }
  if (all || !strcmp(what, "same")) {
    INS(r2w, STARPU_R, h[10], STARPU_RW, h[10], STARPU_NAME, "same_a", 0);
    INS(rr, STARPU_R, h[10], STARPU_R, h[10], STARPU_NAME, "same_b", 0);
    INS(r2w, STARPU_R, h[11], STARPU_RW, h[10], STARPU_NAME, "same_c", 0);
    starpu_task_wait_for_all();
  }
  if (all || !strcmp(what, "cpy")) {
    INS(w1, STARPU_W, h[12], STARPU_NAME, "cpy_w", 0);
    starpu_data_cpy(h[13], h[12], 1, NULL, NULL);
    INS(r1, STARPU_R, h[13], STARPU_NAME, "cpy_r", 0);
    INS(rw1, STARPU_RW, h[12], STARPU_NAME, "cpy_rw", 0);
    starpu_task_wait_for_all();
  }
  if (all || !strcmp(what, "part")) {
    static int V[64];
    starpu_data_handle_t H, c[4];
    starpu_vector_data_register(&H, STARPU_MAIN_RAM, (uintptr_t)V, 64, sizeof(int));
    starpu_data_set_name(H, "bigvec");
    struct starpu_data_filter f = {.filter_func = starpu_vector_filter_block, .nchildren = 4};
    starpu_data_partition_plan(H, &f, c);
    INS(w1, STARPU_W, H, STARPU_NAME, "part_whole", 0);
    for (int i = 0; i < 4; i++) INS(rw1, STARPU_RW, c[i], STARPU_NAME, "part_child", 0);
    INS(r1, STARPU_R, H, STARPU_NAME, "part_whole_r", 0);
    for (int i = 0; i < 4; i++) INS(r1, STARPU_R, c[i], STARPU_NAME, "part_child_r", 0);
    INS(rw1, STARPU_RW, H, STARPU_NAME, "part_whole_rw", 0);
    starpu_task_wait_for_all();
    starpu_data_partition_clean(H, 4, c);
    starpu_data_unregister(H);
  }
  if (all || !strcmp(what, "empty")) {
    INS(w1, STARPU_W, h[14], STARPU_NAME, "emp_a", 0);
    INS(w1, STARPU_W, h[15], STARPU_NAME, "emp_b", 0);
    struct starpu_task* e = starpu_task_create();
    e->cl = NULL;
    e->destroy = 0;
    e->detach = 0;
    e->name = "emp_sync";
    struct starpu_task* x =
        starpu_task_build(&rr, STARPU_R, h[14], STARPU_R, h[15], STARPU_NAME, "emp_c", 0);
    x->destroy = 0;
    x->detach = 0;
    starpu_task_declare_deps(e, 1, x);
    struct starpu_task* y = starpu_task_build(&none0, STARPU_NAME, "emp_d", 0);
    starpu_task_declare_deps(y, 1, e);
    starpu_task_submit(x);
    starpu_task_submit(e);
    starpu_task_submit(y);
    starpu_task_wait(x);
    starpu_task_wait(e);
    starpu_task_wait_for_all();
    starpu_task_destroy(x);
    starpu_task_destroy(e);
  }
  if (all || !strcmp(what, "late")) {
    INS(w1, STARPU_W, h[16], STARPU_NAME, "late_a", 0);
    starpu_task_wait_for_all();
    INS(rw1, STARPU_RW, h[16], STARPU_NAME, "late_b", 0);
    starpu_task_wait_for_all();
    INS(r1, STARPU_R, h[16], STARPU_NAME, "late_c", 0);
    INS(r1, STARPU_R, h[16], STARPU_NAME, "late_d", 0);
    starpu_task_wait_for_all();
    INS(rw1, STARPU_RW, h[16], STARPU_NAME, "late_e", 0);
    starpu_task_wait_for_all();
  }
  if (all || !strcmp(what, "ureg")) {
    starpu_data_handle_t t;
    starpu_variable_data_register(&t, -1, 0, sizeof(int));
    INS(w1, STARPU_W, t, STARPU_NAME, "ureg_w", 0);
    INS(r1, STARPU_R, t, STARPU_NAME, "ureg_r", 0);
    starpu_data_unregister_submit(t);
    starpu_task_wait_for_all();
  }
  if (all || !strcmp(what, "dupro")) {
    starpu_data_handle_t t;
    INS(w1, STARPU_W, h[17], STARPU_NAME, "dup_w", 0);
    starpu_data_dup_ro(&t, h[17], 1);
    INS(r1, STARPU_R, t, STARPU_NAME, "dup_r", 0);
    INS(rw1, STARPU_RW, h[17], STARPU_NAME, "dup_rw", 0);
    starpu_data_unregister_submit(t);
    starpu_task_wait_for_all();
  }
  for (int i = 0; i < 40; i++) starpu_data_unregister(h[i]);
  starpu_shutdown();
  return 0;
}
