/* commands.c: one of each kind of command on an OpenCL device, with results that can be checked.
 *
 * commands [ROUNDS | exit]: "exit" leaves with commands in the queue. Prints what it computed and
 * how often; the same with and without Perseid. */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { kCount = 1024, kSide = 16 };

static void check(cl_int error, const char* what) {
  if (error == CL_SUCCESS) return;
  fprintf(stderr, "%s: error %d\n", what, error);
  exit(1);
}

static const char source[] =
    "__kernel void scale(__global int* values, int factor) {"
    "  values[get_global_id(0)] *= factor;"
    "}"
    "__kernel void add_plane(__global int* values) {"
    "  values[get_global_id(1) * get_global_size(0) + get_global_id(0)] += 1;"
    "}";

static cl_device_id device;
static cl_context context;
static cl_command_queue queue;
static cl_kernel scale, add_plane;
static cl_mem values, copy;

static void set_up(void) {
  cl_platform_id platform;
  cl_int error;
  check(clGetPlatformIDs(1, &platform, NULL), "clGetPlatformIDs");
  check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL), "clGetDeviceIDs");
  context = clCreateContext(NULL, 1, &device, NULL, NULL, &error);
  check(error, "clCreateContext");
  queue = clCreateCommandQueue(context, device, 0, &error);
  check(error, "clCreateCommandQueue");
  const char* text = source;
  cl_program program = clCreateProgramWithSource(context, 1, &text, NULL, &error);
  check(error, "clCreateProgramWithSource");
  check(clBuildProgram(program, 1, &device, "", NULL, NULL), "clBuildProgram");
  scale = clCreateKernel(program, "scale", &error);
  check(error, "clCreateKernel");
  add_plane = clCreateKernel(program, "add_plane", &error);
  check(error, "clCreateKernel");
  values = clCreateBuffer(context, CL_MEM_READ_WRITE, kCount * sizeof(int), NULL, &error);
  check(error, "clCreateBuffer");
  copy = clCreateBuffer(context, CL_MEM_READ_WRITE, kCount * sizeof(int), NULL, &error);
  check(error, "clCreateBuffer");
}

static void launch(int factor, cl_event* event) {
  const size_t global = kCount, local = 64;
  check(clSetKernelArg(scale, 0, sizeof values, &values), "clSetKernelArg");
  check(clSetKernelArg(scale, 1, sizeof factor, &factor), "clSetKernelArg");
  check(clEnqueueNDRangeKernel(queue, scale, 1, NULL, &global, &local, 0, NULL, event), "kernel");
}

static long run_buffers(void) {
  int host[kCount], back[kCount];
  for (int i = 0; i < kCount; ++i) host[i] = i;
  check(clEnqueueWriteBuffer(queue, values, CL_FALSE, 0, sizeof host, host, 0, NULL, NULL),
        "write");
  cl_event scaled;
  launch(3, &scaled);
  const size_t plane[2] = {kCount / 4, 4};
  check(clSetKernelArg(add_plane, 0, sizeof values, &values), "clSetKernelArg");
  check(clEnqueueNDRangeKernel(queue, add_plane, 2, NULL, plane, NULL, 1, &scaled, NULL), "plane");
  check(clEnqueueCopyBuffer(queue, values, copy, 0, 0, sizeof host, 0, NULL, NULL), "copy");
  const size_t origin[3] = {0, 0, 0}, region[3] = {kSide * sizeof(int), kSide, 1};
  check(clEnqueueCopyBufferRect(queue, values, copy, origin, origin, region, 0, 0, 0, 0, 0, NULL,
                                NULL),
        "copy rectangle");
  const int seven = 7;
  check(clEnqueueFillBuffer(queue, copy, &seven, sizeof seven, 0, 4 * sizeof seven, 0, NULL, NULL),
        "fill");
  cl_event marker;
  check(clEnqueueMarkerWithWaitList(queue, 0, NULL, &marker), "marker");
  check(clEnqueueBarrierWithWaitList(queue, 0, NULL, NULL), "barrier");
  check(clEnqueueReadBuffer(queue, copy, CL_TRUE, 0, sizeof back, back, 0, NULL, NULL), "read");
  check(clWaitForEvents(1, &marker), "clWaitForEvents");
  clReleaseEvent(marker);
  clReleaseEvent(scaled);
  long sum = 0;
  for (int i = 0; i < kCount; ++i) sum += back[i];
  cl_int error;
  int* mapped = clEnqueueMapBuffer(queue, values, CL_TRUE, CL_MAP_READ, 0, sizeof host, 0, NULL,
                                   NULL, &error);
  check(error, "map");
  sum += mapped[kCount - 1];
  check(clEnqueueUnmapMemObject(queue, values, mapped, 0, NULL, NULL), "unmap");
  check(clFinish(queue), "clFinish");
  return sum;
}

static long run_images(void) {
  const cl_image_format format = {CL_RGBA, CL_UNSIGNED_INT8};
  cl_image_desc shape;
  memset(&shape, 0, sizeof shape);
  shape.image_type = CL_MEM_OBJECT_IMAGE2D;
  shape.image_width = shape.image_height = kSide;
  cl_int error;
  cl_mem image = clCreateImage(context, CL_MEM_READ_WRITE, &format, &shape, NULL, &error);
  check(error, "clCreateImage");
  unsigned char pixels[4 * kSide * kSide], back[4 * kSide * kSide];
  for (size_t i = 0; i < sizeof pixels; ++i) pixels[i] = (unsigned char)i;
  const size_t origin[3] = {0, 0, 0}, region[3] = {kSide, kSide, 1};
  check(clEnqueueWriteImage(queue, image, CL_FALSE, origin, region, 0, 0, pixels, 0, NULL, NULL),
        "write image");
  check(clEnqueueReadImage(queue, image, CL_TRUE, origin, region, 0, 0, back, 0, NULL, NULL),
        "read image");
  long sum = 0;
  for (size_t i = 0; i < sizeof back; ++i) sum += back[i];
  clReleaseMemObject(image);
  return sum;
}

int main(int count, char** words) {
  if (count > 1 && strcmp(words[1], "exit") == 0) {
    set_up();
    for (int i = 0; i < 40; ++i) launch(1, NULL);
    puts("leaving");
    return 0;
  }
  const int rounds = count > 1 ? atoi(words[1]) : 1;
  set_up();
  cl_command_queue_properties properties = 1234;
  check(clGetCommandQueueInfo(queue, CL_QUEUE_PROPERTIES, sizeof properties, &properties, NULL),
        "clGetCommandQueueInfo");
  printf("queue properties %lu\n", (unsigned long)properties);
  cl_bool has_images = CL_FALSE;
  clGetDeviceInfo(device, CL_DEVICE_IMAGE_SUPPORT, sizeof has_images, &has_images, NULL);
  for (int i = 0; i < rounds; ++i) {
    printf("buffers %ld\n", run_buffers());
    if (has_images) printf("images %ld\n", run_images());
  }
  const size_t nothing = 0;
  printf("bad launch %d\n",
         clEnqueueNDRangeKernel(queue, scale, 0, NULL, &nothing, NULL, 0, NULL, NULL));
  for (int i = 0; i < 300; ++i) launch(1, NULL);
  check(clFinish(queue), "clFinish");
  clReleaseMemObject(values);
  clReleaseMemObject(copy);
  clReleaseKernel(scale);
  clReleaseKernel(add_plane);
  check(clReleaseCommandQueue(queue), "clReleaseCommandQueue");
  check(clReleaseContext(context), "clReleaseContext");
  return 0;
}
