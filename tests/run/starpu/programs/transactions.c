/* transactions.c: tasks in the epochs of a transaction, where StarPU has transactions. */
#include "counted.h"

#if STARPU_MAJOR_VERSION > 1 || STARPU_MINOR_VERSION >= 4
static struct starpu_codelet codelet = {
    .cpu_funcs = {counting_kernel}, .nbuffers = STARPU_VARIABLE_NBUFFERS, .name = "in an epoch"};

static int starts(void* buffer, void* argument) {
  (void)buffer;
  (void)argument;
  return 1;
}

static void run_epochs(void) {
  struct starpu_transaction* transaction = starpu_transaction_open(starts, NULL);
  check(transaction != NULL, "starpu_transaction_open");
  for (int i = 0; i < 6; ++i) {
    if (i == 3) starpu_transaction_next_epoch(transaction, NULL);
    count(&submitted);
    check(starpu_task_insert(&codelet, STARPU_TRANSACTION, transaction, 0) == 0, "insert");
  }
  starpu_transaction_close(transaction);
  starpu_task_wait_for_all();
}
#else
static void run_epochs(void) {}
#endif

int main(void) {
  check(starpu_init(NULL) == 0, "starpu_init");
  run_epochs();
  starpu_shutdown();
  report();
  return 0;
}
