// tests/run/starpu/graphs/misc.c: tasks whose dependencies are compared with StarPU's own.
#include <limits.h>
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
  spin(300);
}
struct starpu_codelet none0 = {.cpu_funcs = {work}, .name = "none0", .nbuffers = 0};
struct starpu_codelet spmd = {.cpu_funcs = {work},
                              .name = "spmd",
                              .type = STARPU_SPMD,
                              .max_parallelism = INT_MAX,
                              .nbuffers = 0};
struct starpu_codelet fj = {.cpu_funcs = {work},
                            .name = "forkjoin",
                            .type = STARPU_FORKJOIN,
                            .max_parallelism = INT_MAX,
                            .nbuffers = 0};
void spawn(void* b[], void* a) {
  (void)b;
  (void)a;
  for (int i = 0; i < 20; i++) starpu_task_insert(&none0, STARPU_NAME, "spawned", 0);
  spin(300);
}
struct starpu_codelet sp = {.cpu_funcs = {spawn}, .name = "spawner", .nbuffers = 0};
static void pro(void* a) { spin(50); }
static void cbk(void* a) { spin(100); }
int main(int c, char** a) {
  const char* w = a[1];
  if (starpu_init(NULL)) return 77;
  if (!strcmp(w, "par")) {
    for (int i = 0; i < 5; i++) {
      starpu_task_insert(&spmd, STARPU_NAME, "spmd_task", 0);
      starpu_task_insert(&fj, STARPU_NAME, "fj_task", 0);
      starpu_task_insert(&none0, STARPU_NAME, "seq_task", 0);
    }
  }
  if (!strcmp(w, "ctx")) {
    int ws[2] = {0, 1};
    unsigned c1 = starpu_sched_ctx_create(ws, 1, "ctxA", STARPU_SCHED_CTX_POLICY_NAME, "eager", 0);
    unsigned c2 =
        starpu_sched_ctx_create(ws + 1, 1, "ctxB", STARPU_SCHED_CTX_POLICY_NAME, "prio", 0);
    for (int i = 0; i < 10; i++) {
      starpu_task_insert(&none0, STARPU_SCHED_CTX, c1, STARPU_NAME, "inA", 0);
      starpu_task_insert(&none0, STARPU_SCHED_CTX, c2, STARPU_NAME, "inB", 0);
    }
    starpu_task_wait_for_all();
    starpu_sched_ctx_finished_submit(c1);
    starpu_sched_ctx_finished_submit(c2);
    starpu_sched_ctx_delete(c1);
    starpu_sched_ctx_delete(c2);
    for (int i = 0; i < 4; i++) starpu_task_insert(&none0, STARPU_NAME, "inMain", 0);
  }
  if (!strcmp(w, "ctxawake")) {
    int ws[2] = {0, 1};
    unsigned c1 = starpu_sched_ctx_create(ws, 2, "ctxNoPol", STARPU_SCHED_CTX_AWAKE_WORKERS, 0);
    for (int i = 0; i < 6; i++)
      starpu_task_insert(&none0, STARPU_SCHED_CTX, c1, STARPU_NAME, "inC", 0);
    starpu_task_wait_for_all();
    starpu_sched_ctx_delete(c1);
  }
  if (!strcmp(w, "steal")) {
    starpu_task_insert(&sp, STARPU_NAME, "spawner", 0);
  }
  if (!strcmp(w, "throttle")) {
    for (int i = 0; i < 100; i++) starpu_task_insert(&none0, STARPU_NAME, "thr", 0);
  }
  if (!strcmp(w, "cb")) {
    for (int i = 0; i < 5; i++)
      starpu_task_insert(&none0, STARPU_NAME, "withcb", STARPU_CALLBACK, cbk,
                         STARPU_PROLOGUE_CALLBACK, pro, STARPU_PROLOGUE_CALLBACK_POP, pro,
                         STARPU_EPILOGUE_CALLBACK, cbk, 0);
  }
  if (!strcmp(w, "sync")) {
    for (int i = 0; i < 5; i++)
      starpu_task_insert(&none0, STARPU_NAME, "syn", STARPU_TASK_SYNCHRONOUS, 1, 0);
  }
  if (!strcmp(w, "spec")) {
    for (int i = 0; i < 10; i++)
      starpu_task_insert(&none0, STARPU_NAME, "onw1", STARPU_EXECUTE_ON_WORKER, 1, 0);
  }
  if (!strcmp(w, "order")) {
    for (int i = 0; i < 10; i++)
      starpu_task_insert(&none0, STARPU_NAME, "ord", STARPU_EXECUTE_ON_WORKER, i % 2,
                         STARPU_WORKER_ORDER, 1 + i / 2, 0);
  }
  starpu_task_wait_for_all();
  starpu_shutdown();
  return 0;
}
