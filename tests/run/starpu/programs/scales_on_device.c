/* scales_on_device.c: one vector goes to an OpenCL device, is scaled there, and comes back. */
#include <starpu_opencl.h>

#include "counted.h"

static const char source[] =
    "__kernel void scale(__global float* values, unsigned count) {"
    "  const unsigned i = get_global_id(0);"
    "  if (i < count) values[i] *= 2;"
    "}";
static struct starpu_opencl_program program;

static void scale(void* buffers[], void* argument) {
  (void)argument;
  unsigned length = STARPU_VECTOR_GET_NX(buffers[0]);
  cl_mem values = (cl_mem)STARPU_VECTOR_GET_DEV_HANDLE(buffers[0]);
  cl_kernel kernel;
  cl_command_queue queue;
  const int device = starpu_worker_get_devid(starpu_worker_get_id());
  check(starpu_opencl_load_kernel(&kernel, &queue, &program, "scale", device) == CL_SUCCESS,
        "starpu_opencl_load_kernel");
  clSetKernelArg(kernel, 0, sizeof values, &values);
  clSetKernelArg(kernel, 1, sizeof length, &length);
  const size_t global = length;
  check(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, NULL, 0, NULL, NULL) == CL_SUCCESS,
        "clEnqueueNDRangeKernel");
  starpu_opencl_release_kernel(kernel);
  count(&executed);
}

static struct starpu_codelet codelet = {
    .opencl_funcs = {scale},
    .opencl_flags = {STARPU_OPENCL_ASYNC},
    .nbuffers = 1,
    .modes = {STARPU_RW},
    .name = "scale",
};

int main(void) {
  check(starpu_init(NULL) == 0, "starpu_init");
  check(starpu_opencl_load_opencl_from_string(source, &program, NULL) == 0, "program");
  static float values[1024];
  for (int i = 0; i < 1024; ++i) values[i] = (float)i;
  starpu_data_handle_t data;
  starpu_vector_data_register(&data, STARPU_MAIN_RAM, (uintptr_t)values, 1024, sizeof values[0]);
  struct starpu_task* task = starpu_task_create();
  task->cl = &codelet;
  task->handles[0] = data;
  submit(task);
  starpu_data_unregister(data);
  for (int i = 0; i < 1024; ++i) check(values[i] == 2 * (float)i, "scaled");
  starpu_opencl_unload_opencl(&program);
  starpu_shutdown();
  report();
  return 0;
}
