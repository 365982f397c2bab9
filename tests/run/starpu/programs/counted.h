/* counted.h: what the programs of this folder share: a codelet function that counts its runs, and
 * a last line that says how often everything happened. */
#ifndef COUNTED_H
#define COUNTED_H

#include <starpu.h>
#include <stdio.h>
#include <stdlib.h>

static int executed;
static int submitted;
static int called_back;

static void count(int* counter) { __atomic_fetch_add(counter, 1, __ATOMIC_RELAXED); }

static inline void counting_kernel(void* buffers[], void* argument) {
  (void)buffers;
  (void)argument;
  count(&executed);
}

static inline void check(int is_true, const char* what) {
  if (is_true) return;
  fprintf(stderr, "failed: %s\n", what);
  exit(1);
}

static inline void submit(struct starpu_task* task) {
  count(&submitted);
  check(starpu_task_submit(task) == 0, "starpu_task_submit");
}

static inline void report(void) {
  printf("submitted %d executed %d callbacks %d\n", submitted, executed, called_back);
  fflush(stdout);
}

#endif
