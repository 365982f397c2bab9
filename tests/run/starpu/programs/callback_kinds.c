/* callback_kinds.c: a task has up to four callbacks; all get their own arguments. The same function
 * serves two of them. */
#include "counted.h"

#define HAS_EPILOGUE (STARPU_MAJOR_VERSION > 1 || STARPU_MINOR_VERSION >= 4)

enum { kTasks = 20 };

static long sum;

static void add(void* argument) {
  count(&called_back);
  __atomic_fetch_add(&sum, *(long*)argument, __ATOMIC_RELAXED);
}

static struct starpu_codelet codelet = {.cpu_funcs = {counting_kernel}, .name = "called back"};

int main(void) {
  check(starpu_init(NULL) == 0, "starpu_init");
  long numbers[] = {1, 100, 10000, 1000000};
  long expected = numbers[0] + numbers[1] + numbers[2];
  for (int i = 0; i < kTasks; ++i) {
    struct starpu_task* task = starpu_task_create();
    task->cl = i % 2 ? &codelet : NULL;
    task->prologue_callback_func = add;
    task->prologue_callback_arg = &numbers[0];
    task->prologue_callback_pop_func = add;
    task->prologue_callback_pop_arg = &numbers[1];
    task->callback_func = add;
    task->callback_arg = &numbers[2];
#if HAS_EPILOGUE
    task->epilogue_callback_func = add;
    task->epilogue_callback_arg = &numbers[3];
#endif
    submit(task);
  }
  starpu_task_wait_for_all();
  if (HAS_EPILOGUE) expected += numbers[3];
  check(sum == kTasks * expected, "every callback got its argument");
  starpu_shutdown();
  report();
  return 0;
}
