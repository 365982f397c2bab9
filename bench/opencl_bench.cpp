// bench/opencl_bench.cpp: what a command costs its thread on PoCL, traced against untraced.
//
// Each child runs the same loop of small commands; children with and without the library take
// turns, so that a slow moment of the machine hits both.
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <fmt/format.h>

#include <cstdlib>
#include <stdexcept>

#include "bench/child.h"
#include "bench/harness.h"
#include "bench/machine.h"
#include "bench/options.h"
#include "bench/table.h"

namespace perseid::bench {
namespace {

constexpr size_t kItems = 64;

void check(cl_int error, const char* what) {
  if (error != CL_SUCCESS) throw std::runtime_error(fmt::format("{}: error {}", what, error));
}

/// Left to the system at the end: the child does nothing else.
struct Device {
  cl_command_queue queue = nullptr;
  cl_kernel kernel = nullptr;
  cl_mem memory = nullptr;

  Device() {
    cl_platform_id platform;
    cl_device_id device;
    cl_int error;
    check(clGetPlatformIDs(1, &platform, nullptr), "clGetPlatformIDs");
    check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, nullptr), "clGetDeviceIDs");
    cl_context context = clCreateContext(nullptr, 1, &device, nullptr, nullptr, &error);
    check(error, "clCreateContext");
    queue = clCreateCommandQueue(context, device, 0, &error);
    check(error, "clCreateCommandQueue");
    const char* source =
        "__kernel void increase(__global int* values) { values[get_global_id(0)] += 1; }";
    cl_program program = clCreateProgramWithSource(context, 1, &source, nullptr, &error);
    check(error, "clCreateProgramWithSource");
    check(clBuildProgram(program, 1, &device, "", nullptr, nullptr), "clBuildProgram");
    kernel = clCreateKernel(program, "increase", &error);
    check(error, "clCreateKernel");
    memory = clCreateBuffer(context, CL_MEM_READ_WRITE, kItems * sizeof(int), nullptr, &error);
    check(error, "clCreateBuffer");
    check(clSetKernelArg(kernel, 0, sizeof memory, &memory), "clSetKernelArg");
  }
};

int measure_here(const Options& options) {
  const Device device;
  int host[kItems] = {};
  const std::vector<Case> cases = {
      {"kernel",
       [&](size_t n) {
         for (size_t i = 0; i < n; ++i)
           clEnqueueNDRangeKernel(device.queue, device.kernel, 1, nullptr, &kItems, nullptr, 0,
                                  nullptr, nullptr);
         clFinish(device.queue);
       }},
      {"write of 256 bytes", [&](size_t n) {
         for (size_t i = 0; i < n; ++i)
           clEnqueueWriteBuffer(device.queue, device.memory, CL_FALSE, 0, sizeof host, host, 0,
                                nullptr, nullptr);
         clFinish(device.queue);
       }}};
  print_rows(measure(cases, 1, options.is_quick ? 20 : 60, 500));
  return 0;
}

int report(const Options& options) {
  if (options.shows_machine) print_machine();
  const ScratchDirectory scratch(options.scratch);
  std::vector<std::string> arguments{"--child"};
  if (options.is_quick) arguments.push_back("--quick");
  Collected untraced, traced;
  for (int turn = 0; turn < (options.is_quick ? 3 : 9); ++turn) {
    unsetenv("LD_PRELOAD");
    untraced.add(run_child(own_program(), arguments, ""));
    setenv("LD_PRELOAD", PERSEID_LIBRARY, 1);
    traced.add(run_child(own_program(), arguments,
                         fmt::format("opencl=on,dir={},export=0,quiet=1", scratch.path())));
    unsetenv("LD_PRELOAD");
  }
  Table table("OpenCL commands on PoCL, thread CPU time of the caller",
              {"command", "untraced ns", "traced ns", "difference ns", "ratio"});
  const std::vector<Measurement> before = untraced.medians(), after = traced.medians();
  for (size_t i = 0; i < before.size() && i < after.size(); ++i)
    table.add({before[i].name, fixed(before[i].ns, 0), fixed(after[i].ns, 0),
               fixed(after[i].ns - before[i].ns, 0), fixed(after[i].ns / before[i].ns, 2)});
  table.print();
  return 0;
}

int run(const Options& options) {
  const bool is_child = !options.rest.empty() && options.rest[0] == "--child";
  return is_child ? measure_here(options) : report(options);
}

}  // namespace
}  // namespace perseid::bench

int main(int count, char** words) {
  return perseid::bench::run_bench("opencl_bench", count, words, perseid::bench::run);
}
