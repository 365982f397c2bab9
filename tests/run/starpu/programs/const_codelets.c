/* const_codelets.c: codelets in memory that nobody may write, as `const` puts them there.
 *
 * StarPU before 1.4 counts runs in the codelet itself, so that a const one dies. These have their
 * functions on a read-only page and the counters on the page behind it, which works with all. */
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "counted.h"

enum { kTasks = 40 };

static void other_kernel(void* buffers[], void* argument) { counting_kernel(buffers, argument); }

static struct starpu_codelet* read_only_codelet(starpu_cpu_func_t function, const char* name) {
  const size_t page = (size_t)sysconf(_SC_PAGESIZE);
  char* at = mmap(NULL, 4 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  check(at != MAP_FAILED, "mmap");
  struct starpu_codelet codelet;
  starpu_codelet_init(&codelet);
  codelet.cpu_funcs[0] = function;
  codelet.where = STARPU_CPU;
  codelet.name = name;
  codelet.checked = 1;
  char* made = at + page - offsetof(struct starpu_codelet, per_worker_stats);
  memcpy(made, &codelet, sizeof codelet);
  check(mprotect(at, page, PROT_READ) == 0, "mprotect");
  return (struct starpu_codelet*)made;
}

int main(int count_of_words, char** words) {
  check(starpu_init(NULL) == 0, "starpu_init");
  struct starpu_codelet ordinary;
  starpu_codelet_init(&ordinary);
  ordinary.cpu_funcs[0] = counting_kernel;
  ordinary.name = "ordinary";
  struct starpu_codelet* codelets[3] = {read_only_codelet(counting_kernel, "first"),
                                        read_only_codelet(other_kernel, "second"), &ordinary};
  const int is_synchronous = count_of_words > 1 && strcmp(words[1], "synchronous") == 0;
  for (int i = 0; i < kTasks; ++i) {
    struct starpu_task* task = starpu_task_create();
    task->cl = codelets[i % 3];
    task->synchronous = is_synchronous ? 1 : 0;
    submit(task);
  }
  starpu_task_wait_for_all();
  check(executed == kTasks, "every task ran");
  check(codelets[0]->cpu_funcs[0] == counting_kernel, "a read-only codelet is as it was");
  starpu_shutdown();
  report();
  return 0;
}
