/* tests/run/report/planted_starpu.c: programs of StarPU with one fault each, for two workers. The
   first argument names the fault. Each prints the milliseconds of workers that it cost, as far as
   the program can measure them: on a busy machine they are more than what was planted. */
#include <math.h>
#include <starpu.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "busy.h"

enum { kRounds = 30 };

static struct {
  double begin_ms, end_ms;
} g_runs[6 * kRounds]; /* in the order in which they began */
static atomic_int g_begun;

static void work(void* buffers[], void* arguments) {
  int milliseconds = 0;
  starpu_codelet_unpack_args(arguments, &milliseconds);
  const int place = atomic_fetch_add(&g_begun, 1);
  g_runs[place].begin_ms = now_ms();
  busy(milliseconds);
  g_runs[place].end_ms = now_ms();
  (void)buffers;
}

static struct starpu_codelet g_free = {.cpu_funcs = {work}, .name = "free", .nbuffers = 0};
static struct starpu_codelet g_link = {
    .cpu_funcs = {work}, .name = "link", .nbuffers = 1, .modes = {STARPU_RW}};

static int submit(int milliseconds) {
  return starpu_task_insert(&g_free, STARPU_VALUE, &milliseconds, sizeof(milliseconds), 0);
}

/* Equal tasks that need nothing. */
static int nothing(void) {
  for (int i = 0; i < 6 * kRounds; ++i) {
    if (submit(3) != 0) return 1;
  }
  return 0;
}

/* A task of 1 ms every 20 ms. */
static int submission(void) {
  double submitted_ms[kRounds];
  for (int i = 0; i < kRounds; ++i) {
    submitted_ms[i] = now_ms();
    if (submit(1) != 0) return 1;
    busy(20);
  }
  starpu_task_wait_for_all();
  double lost_ms = 0;
  for (int i = 1; i < kRounds; ++i) {
    lost_ms += fmax(submitted_ms[i] - g_runs[i - 1].begin_ms, 0);
    lost_ms += fmax(submitted_ms[i] - g_runs[i - 1].end_ms, 0);
  }
  printf("%.3f\n", lost_ms);
  return 0;
}

/* All but the last one, after which no task comes, cost the other worker their time. */
static void print_serial_work(void) {
  double lost_ms = 0;
  for (int i = 0; i < kRounds - 1; ++i) lost_ms += g_runs[i].end_ms - g_runs[i].begin_ms;
  printf("%.3f\n", lost_ms);
}

/* Each task needs the one before. */
static int dependencies(void) {
  static int32_t value;
  const int milliseconds = 10;
  starpu_data_handle_t handle;
  starpu_variable_data_register(&handle, STARPU_MAIN_RAM, (uintptr_t)&value, sizeof(value));
  for (int i = 0; i < kRounds; ++i) {
    if (starpu_task_insert(&g_link, STARPU_VALUE, &milliseconds, sizeof(milliseconds), STARPU_RW,
                           handle, 0) != 0)
      return 1;
  }
  starpu_data_unregister(handle);
  print_serial_work();
  return 0;
}

/* One worker has to execute them all. */
static int elsewhere(void) {
  const int milliseconds = 10;
  for (int i = 0; i < kRounds; ++i) {
    if (starpu_task_insert(&g_free, STARPU_VALUE, &milliseconds, sizeof(milliseconds),
                           STARPU_EXECUTE_ON_WORKER, 0, 0) != 0)
      return 1;
  }
  starpu_task_wait_for_all();
  print_serial_work();
  return 0;
}

/* Before each round, both workers have nothing from the end of their task on; not before the other
   task has begun, late perhaps, which until then is there to be taken. */
static void print_waits(const double begin_ms[]) {
  double lost_ms = 0;
  for (int i = 1; i < kRounds; ++i) {
    const int a = 2 * i - 2, b = 2 * i - 1;
    lost_ms += begin_ms[i] - fmax(g_runs[a].end_ms, g_runs[b].begin_ms);
    lost_ms += begin_ms[i] - fmax(g_runs[b].end_ms, g_runs[a].begin_ms);
  }
  printf("%.3f\n", lost_ms);
}

/* The program waits for a long task and a short one before it submits the next two. */
static int program_waits(void) {
  double begin_ms[kRounds];
  for (int i = 0; i < kRounds; ++i) {
    begin_ms[i] = now_ms();
    if (submit(30) != 0 || submit(1) != 0) return 1;
    starpu_task_wait_for_all();
  }
  print_waits(begin_ms);
  return 0;
}

/* Run with at most two tasks at a time: while the long one of them runs, the next two are held
   back. */
static int throttled(void) {
  double begin_ms[kRounds];
  for (int i = 0; i < kRounds; ++i) {
    if (submit(30) != 0) return 1;
    begin_ms[i] = now_ms();
    if (submit(1) != 0) return 1;
  }
  starpu_task_wait_for_all();
  print_waits(begin_ms);
  return 0;
}

static const struct {
  const char* name;
  int (*run)(void);
} g_programs[] = {{"nothing", nothing},           {"submission", submission},
                  {"dependencies", dependencies}, {"program_waits", program_waits},
                  {"throttled", throttled},       {"elsewhere", elsewhere}};

int main(int count, char** words) {
  if (count != 2 || starpu_init(NULL) != 0) return 1;
  int status = 1;
  for (size_t i = 0; i < sizeof(g_programs) / sizeof(g_programs[0]); ++i) {
    if (strcmp(words[1], g_programs[i].name) == 0) status = g_programs[i].run();
  }
  starpu_task_wait_for_all();
  starpu_shutdown();
  return status;
}
