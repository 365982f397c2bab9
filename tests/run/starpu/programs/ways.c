/* ways.c: every way in which a task enters StarPU, each with a name of its own where it has one. */
#include "counted.h"

enum { kParts = 4, kValues = 64 };

static struct starpu_codelet inserted = {
    .cpu_funcs = {counting_kernel}, .nbuffers = 1, .modes = {STARPU_RW}, .name = "inserted"};
static struct starpu_codelet built = {.cpu_funcs = {counting_kernel}, .name = "built"};
static struct starpu_codelet tagged = {.cpu_funcs = {counting_kernel}, .name = "tagged"};
static struct starpu_codelet placed = {.cpu_funcs = {counting_kernel}, .name = "placed"};
static struct starpu_codelet part = {
    .cpu_funcs = {counting_kernel}, .nbuffers = 1, .modes = {STARPU_RW}, .name = "part"};
static struct starpu_codelet nameless = {.cpu_funcs = {counting_kernel}};

static void add_up(void* buffers[], void* argument) {
  (void)argument;
  *(int*)STARPU_VARIABLE_GET_PTR(buffers[0]) += *(int*)STARPU_VARIABLE_GET_PTR(buffers[1]);
}
static void clear(void* buffers[], void* argument) {
  (void)argument;
  *(int*)STARPU_VARIABLE_GET_PTR(buffers[0]) = 0;
}
static void add_one(void* buffers[], void* argument) {
  (void)argument;
  ++*(int*)STARPU_VARIABLE_GET_PTR(buffers[0]);
  count(&executed);
}
static struct starpu_codelet joining = {
    .cpu_funcs = {add_up}, .nbuffers = 2, .modes = {STARPU_RW, STARPU_R}, .name = "joining"};
static struct starpu_codelet clearing = {
    .cpu_funcs = {clear}, .nbuffers = 1, .modes = {STARPU_W}, .name = "clearing"};
static struct starpu_codelet reducing = {
    .cpu_funcs = {add_one}, .nbuffers = 1, .modes = {STARPU_REDUX}, .name = "reducing"};

static void everywhere(void* argument) {
  (void)argument;
  count(&executed);
}

static void when_acquired(void* data) {
  count(&called_back);
  starpu_data_release((starpu_data_handle_t)data);
}

static struct starpu_task* task_of(struct starpu_codelet* codelet) {
  struct starpu_task* task = starpu_task_create();
  task->cl = codelet;
  return task;
}

static void submit_simple(starpu_data_handle_t values) {
  check(starpu_task_insert(&inserted, STARPU_RW, values, 0) == 0, "starpu_task_insert");
  submit(task_of(&built));
  submit(task_of(&nameless));
  submit(task_of(NULL));
  struct starpu_task* with_tag = task_of(&tagged);
  with_tag->use_tag = 1;
  with_tag->tag_id = 77;
  submit(with_tag);
  check(starpu_tag_wait(77) == 0, "starpu_tag_wait");
}

static void submit_to_context(void) {
  int workers[1] = {0};
  const unsigned context =
      starpu_sched_ctx_create(workers, 1, "other", STARPU_SCHED_CTX_POLICY_NAME, "eager", 0);
  check(starpu_task_submit_to_ctx(task_of(&placed), context) == 0, "starpu_task_submit_to_ctx");
  check(starpu_task_wait_for_all_in_ctx(context) == 0, "starpu_task_wait_for_all_in_ctx");
  starpu_sched_ctx_delete(context);
}

static void cut_up(starpu_data_handle_t values) {
  struct starpu_data_filter filter = {.filter_func = starpu_vector_filter_block,
                                      .nchildren = kParts};
  starpu_data_handle_t parts[kParts];
  starpu_data_partition_plan(values, &filter, parts);
  for (int i = 0; i < kParts; ++i)
    check(starpu_task_insert(&part, STARPU_RW, parts[i], 0) == 0, "starpu_task_insert");
  check(starpu_task_insert(&inserted, STARPU_RW, values, 0) == 0, "starpu_task_insert");
  starpu_task_wait_for_all();
  starpu_data_partition_clean(values, kParts, parts);
}

static void reduce(void) {
  int sum = 0;
  starpu_data_handle_t data;
  starpu_variable_data_register(&data, STARPU_MAIN_RAM, (uintptr_t)&sum, sizeof sum);
  starpu_data_set_name(data, "sum");
  starpu_data_set_reduction_methods(data, &joining, &clearing);
  for (int i = 0; i < 8; ++i)
    check(starpu_task_insert(&reducing, STARPU_REDUX, data, 0) == 0, "starpu_task_insert");
  check(starpu_data_acquire(data, STARPU_R) == 0, "starpu_data_acquire");
  check(sum == 8, "the sum");
  starpu_data_release(data);
  starpu_data_unregister(data);
}

int main(void) {
  check(starpu_init(NULL) == 0, "starpu_init");
  static float from[kValues], to[kValues];
  starpu_data_handle_t values, copy;
  starpu_vector_data_register(&values, STARPU_MAIN_RAM, (uintptr_t)from, kValues, sizeof *from);
  starpu_vector_data_register(&copy, STARPU_MAIN_RAM, (uintptr_t)to, kValues, sizeof *to);
  starpu_data_set_name(values, "values");

  submit_simple(values);
  submit_to_context();
  cut_up(values);
  reduce();
  check(starpu_data_cpy(copy, values, 0, NULL, NULL) == 0, "starpu_data_cpy");
  check(starpu_data_acquire_cb(copy, STARPU_R, when_acquired, copy) == 0, "starpu_data_acquire_cb");
  starpu_execute_on_each_worker_ex(everywhere, NULL, STARPU_CPU, "everywhere");
  starpu_task_wait_for_all();
  starpu_data_unregister(values);
  starpu_data_unregister(copy);
  starpu_shutdown();
  report();
  return 0;
}
