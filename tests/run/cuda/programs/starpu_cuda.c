/* starpu_cuda.c: StarPU tasks whose functions launch kernels on the pretended CUDA. */
#include "../../starpu/programs/counted.h"
#include "tests/doubles/cuda/fake_cuda.h"

static void increment(void** arguments) { ++*(int*)arguments[0]; }

static void launch(void* buffers[], void* argument) {
  (void)argument;
  void* value = (void*)STARPU_VARIABLE_GET_PTR(buffers[0]);
  cudaLaunchKernel(increment, "_Z9incrementPi", 1, 1, &value, 0, NULL);
  count(&executed);
}

static struct starpu_codelet codelet = {
    .cpu_funcs = {launch}, .nbuffers = 1, .modes = {STARPU_RW}, .name = "increase"};

int main(void) {
  check(starpu_init(NULL) == 0, "starpu_init");
  int value = 0;
  starpu_data_handle_t data;
  starpu_variable_data_register(&data, STARPU_MAIN_RAM, (uintptr_t)&value, sizeof value);
  for (int i = 0; i < 20; ++i) {
    struct starpu_task* task = starpu_task_create();
    task->cl = &codelet;
    task->handles[0] = data;
    submit(task);
  }
  starpu_data_unregister(data);
  check(value == 20, "incremented");
  starpu_shutdown();
  report();
  return 0;
}
