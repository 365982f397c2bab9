/* bounded.c: tasks of two kinds that take their time asleep, on CPUs and on a device. "calibrate"
 * runs each kind on each worker, "measure" lets the policy choose and prints StarPU's own bound of
 * their time, and the times that it expects. Run it with STARPU_SCHED=dmda. */
#include <string.h>
#include <time.h>

#include "counted.h"

static void sleep_for(long ns) {
  struct timespec until;
  clock_gettime(CLOCK_MONOTONIC, &until);
  until.tv_nsec += ns;
  until.tv_sec += until.tv_nsec / 1000000000;
  until.tv_nsec %= 1000000000;
  while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL) != 0) {
  }
  count(&executed);
}

#define SLEEPING(name, ms)                            \
  static void name(void* buffers[], void* argument) { \
    (void)buffers;                                    \
    (void)argument;                                   \
    sleep_for(ms * 1000000L);                         \
  }
SLEEPING(gemm_on_cpu, 8)
SLEEPING(gemm_on_device, 2)
SLEEPING(potrf_on_cpu, 6)
SLEEPING(potrf_on_device, 5)

static struct starpu_perfmodel gemm_model = {.type = STARPU_HISTORY_BASED,
                                             .symbol = "perseid_bounded_gemm"};
static struct starpu_perfmodel potrf_model = {.type = STARPU_HISTORY_BASED,
                                              .symbol = "perseid_bounded_potrf"};
static struct starpu_codelet gemm = {.cpu_funcs = {gemm_on_cpu},
                                     .opencl_funcs = {gemm_on_device},
                                     .model = &gemm_model,
                                     .name = "gemm"};
static struct starpu_codelet potrf = {.cpu_funcs = {potrf_on_cpu},
                                      .opencl_funcs = {potrf_on_device},
                                      .model = &potrf_model,
                                      .name = "potrf"};

static void submit_to(struct starpu_codelet* codelet, int worker) {
  struct starpu_task* const task = starpu_task_create();
  task->cl = codelet;
  if (worker >= 0) {
    task->execute_on_a_specific_worker = 1;
    task->workerid = (unsigned)worker;
  }
  submit(task);
}

static void print_expected(struct starpu_codelet* codelet) {
  struct starpu_task* const task = starpu_task_create();
  task->cl = codelet;
  task->destroy = 0;
  for (unsigned worker = 0; worker < starpu_worker_get_count(); ++worker) {
    struct starpu_perfmodel_arch* const arch =
        starpu_worker_get_perf_archtype((int)worker, STARPU_NMAX_SCHED_CTXS);
    printf("expected %s %s %.9f\n", codelet->name,
           starpu_worker_get_type((int)worker) == STARPU_CPU_WORKER ? "cpu" : "device",
           starpu_task_expected_length(task, arch, 0));
  }
  starpu_task_destroy(task);
}

int main(int argc, char** argv) {
  check(starpu_init(NULL) == 0, "starpu_init");
  if (argc > 1 && strcmp(argv[1], "calibrate") == 0) {
    for (int i = 0; i < 12; ++i)
      for (int worker = 0; worker < (int)starpu_worker_get_count(); ++worker) {
        submit_to(&gemm, worker);
        submit_to(&potrf, worker);
      }
    starpu_task_wait_for_all();
  } else {
    starpu_bound_start(0, 0);
    for (int i = 0; i < 40; ++i) submit_to(i % 2 == 0 ? &gemm : &potrf, -1);
    /* Each kind has run on each worker. */
    for (int worker = 0; worker < (int)starpu_worker_get_count(); ++worker) {
      submit_to(&gemm, worker);
      submit_to(&potrf, worker);
    }
    starpu_task_wait_for_all();
    starpu_bound_stop();
    double bound_ms = 0, integer_ms = 0;
    starpu_bound_compute(&bound_ms, &integer_ms, 0);
    printf("bound %.9f\n", bound_ms);
    print_expected(&gemm);
    print_expected(&potrf);
  }
  starpu_shutdown();
  report();
  return 0;
}
