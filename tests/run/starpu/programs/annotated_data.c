/* annotated_data.c: names, coordinates, partitions, dependencies and marks that programs carry. */
#include "counted.h"

static void scale(void* buffers[], void* argument) {
  (void)argument;
  float* values = (float*)STARPU_VECTOR_GET_PTR(buffers[0]);
  for (unsigned i = 0; i < STARPU_VECTOR_GET_NX(buffers[0]); ++i) values[i] *= 2;
  count(&executed);
}

static struct starpu_codelet codelet = {
    .cpu_funcs = {scale}, .nbuffers = 1, .modes = {STARPU_RW}, .name = "scale"};
static struct starpu_codelet plain = {.cpu_funcs = {counting_kernel}, .name = "plain"};

static void insert(starpu_data_handle_t data, int priority) {
  count(&submitted);
  check(starpu_task_insert(&codelet, STARPU_RW, data, STARPU_PRIORITY, priority, STARPU_FLOPS, 12.5,
                           0) == 0,
        "starpu_task_insert");
}

static struct starpu_task* tagged(starpu_tag_t tag) {
  struct starpu_task* task = starpu_task_create();
  task->cl = &plain;
  task->use_tag = 1;
  task->tag_id = tag;
  return task;
}

int main(void) {
  check(starpu_init(NULL) == 0, "starpu_init");
  static float values[64];
  starpu_data_handle_t whole;
  starpu_vector_data_register(&whole, STARPU_MAIN_RAM, (uintptr_t)values, 64, sizeof values[0]);
  starpu_data_set_name(whole, "values");
  starpu_data_set_coordinates(whole, 2, 3, 4);

  starpu_iteration_push(7);
  insert(whole, 2);
  starpu_iteration_pop();
  struct starpu_data_filter filter = {.filter_func = starpu_vector_filter_block, .nchildren = 4};
  starpu_data_partition(whole, &filter);
  for (int i = 0; i < 4; ++i) insert(starpu_data_get_sub_data(whole, 1, i), 0);
  starpu_data_unpartition(whole, STARPU_MAIN_RAM);
  check(starpu_data_acquire(whole, STARPU_R) == 0, "starpu_data_acquire");
  starpu_data_release(whole);

  starpu_tag_declare_deps(0x2, 1, (starpu_tag_t)0x1);
  submit(tagged(0x2));
  submit(tagged(0x1));
  check(starpu_tag_wait(0x2) == 0, "starpu_tag_wait");
  struct starpu_task* last = tagged(0x3);
  struct starpu_task* before = tagged(0x4);
  starpu_task_declare_deps_array(last, 1, &before);
  submit(before);
  submit(last);
  starpu_task_wait_for_all();

  starpu_fxt_trace_user_event(42);
  starpu_fxt_trace_user_event_string("half way");
  starpu_data_unregister(whole);
  starpu_shutdown();
  report();
  return 0;
}
