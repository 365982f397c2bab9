/* acquisitions.c: data that the program takes without a task, in every way, one handle for each
 * way. The names of the data say what the trace must hold. */
#include "counted.h"

enum { kParts = 2, kValues = 8 };

static struct starpu_codelet changing = {
    .cpu_funcs = {counting_kernel}, .nbuffers = 1, .modes = {STARPU_RW}, .name = "changing"};

/* Until the end: no two of them may have the same address. */
static starpu_data_handle_t kept[16];
static int number_kept;
static void keep(starpu_data_handle_t data) { kept[number_kept++] = data; }

static void when_acquired(void* data) {
  count(&called_back);
  starpu_data_release((starpu_data_handle_t)data);
}

static starpu_data_handle_t variable(const char* name) {
  starpu_data_handle_t data;
  int* value = calloc(1, sizeof *value); /* lives as long as the program */
  check(value != NULL, "calloc");
  starpu_variable_data_register(&data, STARPU_MAIN_RAM, (uintptr_t)value, sizeof *value);
  starpu_data_set_name(data, name);
  return data;
}

static void change(starpu_data_handle_t data) {
  count(&submitted);
  check(starpu_task_insert(&changing, STARPU_RW, data, 0) == 0, "starpu_task_insert");
}

static void without_waiting(void) {
  starpu_data_handle_t plain = variable("read with a callback");
  change(plain);
  starpu_data_acquire_cb(plain, STARPU_R, when_acquired, plain);
  change(plain);

  starpu_data_handle_t placed = variable("written on a node");
  starpu_data_acquire_on_node_cb(placed, STARPU_MAIN_RAM, STARPU_RW, when_acquired, placed);

  starpu_data_handle_t aside = variable("without order by the call");
  starpu_data_acquire_cb_sequential_consistency(aside, STARPU_RW, when_acquired, aside, 0);

  starpu_data_handle_t unordered = variable("without order by the data");
  starpu_data_set_sequential_consistency_flag(unordered, 0);
  starpu_data_acquire_cb(unordered, STARPU_R, when_acquired, unordered);
  check(starpu_data_acquire(unordered, STARPU_R) == 0, "starpu_data_acquire");
  starpu_data_release(unordered);

  starpu_data_handle_t gone = variable("invalidated");
  starpu_data_invalidate_submit(gone);

  starpu_task_wait_for_all();
  keep(plain);
  keep(placed);
  keep(aside);
  keep(unordered);
  starpu_data_unregister_submit(gone);
}

static void with_waiting(void) {
  starpu_data_handle_t data = variable("tried");
  check(starpu_data_acquire_try(data, STARPU_R) == 0, "starpu_data_acquire_try");
  starpu_data_release(data);
  keep(data);

  data = variable("kept for reading");
  check(starpu_data_acquire(data, STARPU_RW) == 0, "starpu_data_acquire");
#if STARPU_MAJOR_VERSION > 1 || STARPU_MINOR_VERSION >= 4
  starpu_data_release_to(data, STARPU_R);
#endif
  starpu_data_release(data);
  keep(data);
}

static void cut_up(void) {
  static float values[kValues];
  struct starpu_data_filter filter = {.filter_func = starpu_vector_filter_block,
                                      .nchildren = kParts};
  starpu_data_handle_t whole, parts[kParts];
  starpu_vector_data_register(&whole, STARPU_MAIN_RAM, (uintptr_t)values, kValues, sizeof *values);
  starpu_data_set_name(whole, "cut up");
  starpu_data_partition_plan(whole, &filter, parts);
  for (int i = 0; i < kParts; ++i) change(parts[i]);
  starpu_data_partition_clean(whole, kParts, parts);
  keep(whole);
}

int main(void) {
  check(starpu_init(NULL) == 0, "starpu_init");
  without_waiting();
  with_waiting();
  cut_up();
  starpu_task_wait_for_all();
  for (int i = 0; i < number_kept; ++i) starpu_data_unregister(kept[i]);
  starpu_shutdown();
  report();
  return 0;
}
