/* nowhere.c: tasks that run nowhere, because their codelet or the task itself says so, and tags
 * that are only labels. */
#include "counted.h"

static struct starpu_codelet ordinary = {
    .cpu_funcs = {counting_kernel}, .nbuffers = 1, .modes = {STARPU_RW}, .name = "ordinary"};
static struct starpu_codelet resting = {
    .where = STARPU_NOWHERE, .nbuffers = 1, .modes = {STARPU_RW}, .name = "resting"};

int main(void) {
  check(starpu_init(NULL) == 0, "starpu_init");
  int value = 0;
  starpu_data_handle_t data;
  starpu_variable_data_register(&data, STARPU_MAIN_RAM, (uintptr_t)&value, sizeof value);
  check(starpu_task_insert(&ordinary, STARPU_RW, data, STARPU_NAME, "runs", 0) == 0, "runs");
  check(starpu_task_insert(&ordinary, STARPU_RW, data, STARPU_NAME, "told to rest",
                           STARPU_EXECUTE_WHERE, (unsigned long long)STARPU_NOWHERE, 0) == 0,
        "told to rest");
  check(starpu_task_insert(&resting, STARPU_RW, data, STARPU_NAME, "rests", 0) == 0, "rests");
  check(starpu_task_insert(&ordinary, STARPU_RW, data, STARPU_NAME, "labelled", STARPU_TAG_ONLY,
                           (starpu_tag_t)77, 0) == 0,
        "labelled");
  check(starpu_task_insert(&ordinary, STARPU_RW, data, STARPU_NAME, "tagged", STARPU_TAG,
                           (starpu_tag_t)78, 0) == 0,
        "tagged");
  starpu_task_wait_for_all();
  starpu_data_unregister(data);
  starpu_shutdown();
  report();
  return 0;
}
