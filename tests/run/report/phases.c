/* tests/run/report/phases.c: a warm-up and two phases of tasks that take a known time. */
#include <perseid.h>
#include <signal.h>
#include <starpu.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "busy.h"

static void work(void* buffers[], void* arguments) {
  busy(2);
  (void)buffers;
  (void)arguments;
}

static struct starpu_codelet g_codelet = {.cpu_funcs = {work}, .name = "busy", .nbuffers = 0};

static int run(const char* phase, int tasks, int first_iteration) {
  perseid_phase(phase);
  starpu_iteration_push((unsigned long)first_iteration);
  for (int i = 0; i < tasks; ++i) {
    if (starpu_task_insert(&g_codelet, 0) != 0) return 1;
  }
  starpu_task_wait_for_all();
  starpu_iteration_pop();
  perseid_phase(NULL);
  return 0;
}

int main(int count, char** words) {
  if (starpu_init(NULL) != 0) return 1;
  if (run("warm-up", 5, 1) || run("factorise", 10, 2) || run("solve", 5, 3)) return 1;
  if (count > 1 && strcmp(words[1], "die") == 0) raise(SIGKILL);
  if (count > 1 && strcmp(words[1], "wait") == 0) {
    puts("done");
    fflush(stdout);
    (void)getchar();
  }
  starpu_shutdown();
  puts("all tasks ran");
  return 0;
}
