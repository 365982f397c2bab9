// tests/run/cuda/programs/cuda_program.cpp: a CUDA program on the pretended CUDA.
//
//   cuda_program work [THREADS LAUNCHES]   each thread: copies, kernels, sets, waits
//   cuda_program kinds                     one of each kind of record
//   cuda_program memory                    memory of several kinds, and of two pools
//   cuda_program names                     names of devices, contexts and streams, ranges, marks
//   cuda_program fork                      children that exit in several ways after CUDA has begun
//   cuda_program resets                    threads that reset their device again and again
//   cuda_program exits                     ends while work is on the device and threads run
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <thread>
#include <vector>

#include "tests/doubles/cuda/fake_cuda.h"

namespace {

constexpr int kValues = 256;

void scale(void** arguments) {
  auto* values = static_cast<int*>(arguments[0]);
  for (int i = 0; i < kValues; ++i) values[i] *= 2;
}
constexpr char kScale[] = "_Z5scaleIiEvPT_i";  // void scale<int>(int*, int)

long work(int number, int launches) {
  cudaSetDevice(number % 2);
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  int host[kValues];
  for (int i = 0; i < kValues; ++i) host[i] = i;
  void* device = nullptr;
  cudaMalloc(&device, sizeof host);
  long sum = 0;
  for (int i = 0; i < launches; ++i) {
    cudaMemcpyAsync(device, host, sizeof host, cudaMemcpyHostToDevice, stream);
    cudaLaunchKernel(scale, kScale, 4, 64, &device, 16, stream);
    int back[kValues];
    cudaMemcpyAsync(back, device, sizeof back, cudaMemcpyDeviceToHost, stream);
    for (int polls = 0; polls < 20; ++polls) cudaEventQuery();
    if (i % 16 == 0) cudaStreamSynchronize(stream);
    for (const int value : back) sum += value;
  }
  cudaMemsetAsync(device, 0, sizeof host, stream);
  cudaStreamSynchronize(stream);
  cudaFree(device);
  return sum;
}

void run_threads(int threads, int launches) {
  std::vector<std::thread> running;
  std::vector<long> sums(static_cast<size_t>(threads));
  for (int i = 0; i < threads; ++i) {
    running.emplace_back(
        [&sums, i, launches] { sums[static_cast<size_t>(i)] = work(i, launches); });
  }
  for (std::thread& thread : running) thread.join();
  for (const long sum : sums) std::printf("%ld\n", sum);
}

void run_kinds() {
  int values[kValues] = {1, 2, 3};
  void* device = nullptr;
  void* peer = nullptr;
  cudaMalloc(&device, sizeof values);
  cudaMalloc(&peer, sizeof values);
  cudaMemcpyAsync(device, values, sizeof values, cudaMemcpyHostToDevice, nullptr);
  cudaMemcpyPeerAsync(peer, 1, device, 0, sizeof values, nullptr);
  cuLaunchKernel(scale, kScale, 2, 32, &device, 0, nullptr);
  cudaGraphLaunch(scale, kScale, 3, &device, nullptr);
  std::printf("bad launch %d\n", cudaLaunchKernel(scale, kScale, 0, 32, &device, 0, nullptr));
  cudaMemsetAsync(peer, 7, sizeof values, nullptr);
  cudaDeviceSynchronize();
  fake_cuda_overhead();
  fake_cuda_range("solve");
  fake_cuda_future_record();
  cudaFree(peer);
  cudaFree(device);
  cudaDeviceReset();
}

void run_memory() {
  void* device = nullptr;
  void* pinned = nullptr;
  cudaMalloc(&device, 1000);
  cudaMallocHost(&pinned, 500);
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  cudaMemPool_t small, large;
  cudaMemPoolCreate(&small);
  cudaMemPoolCreate(&large);
  void* in_small = nullptr;
  void* in_large = nullptr;
  cudaMallocFromPoolAsync(&in_small, 3000, small, stream);
  cudaMallocFromPoolAsync(&in_large, 5000, large, stream);
  cudaFreeAsync(in_small, stream);
  cudaMemPoolTrimTo(small, 0);
  cudaMemPoolDestroy(small);
  cudaFreeAsync(in_large, stream);
  cudaMemPoolDestroy(large);
  cudaFreeHost(pinned);
  cudaFree(device);
  cudaStreamSynchronize(stream);
}

void run_names() {
  int values[kValues] = {1, 2, 3};
  void* device = nullptr;
  cudaMalloc(&device, sizeof values);
  cudaStream_t before, after;
  cudaStreamCreate(&before);
  cudaStreamCreate(&after);
  fake_cuda_name_device(0, "solver");
  fake_cuda_name_stream(before, "halo exchange");
  cudaMemcpyAsync(device, values, sizeof values, cudaMemcpyHostToDevice, before);
  cudaMemcpyAsync(device, values, sizeof values, cudaMemcpyHostToDevice, after);
  cudaMemcpyAsync(device, values, sizeof values, cudaMemcpyHostToDevice, nullptr);
  fake_cuda_name_stream(after, "output");
  fake_cuda_name_context(0, "physics");
  fake_cuda_range("solve");
  fake_cuda_mark("converged");
  fake_cuda_open_range("still writing");
  cudaDeviceSynchronize();
  cudaFree(device);
}

int run_children() {
  work(0, 10);
  int failures = 0;
  for (int i = 0; i < 8; ++i) {
    const pid_t child = fork();
    if (child == 0) {
      if (i % 2 == 0) _exit(0);
      std::exit(0);
    }
    int status = 0;
    if (waitpid(child, &status, 0) != child || status != 0) ++failures;
  }
  std::printf("failures %d\n", failures);
  return failures;
}

}  // namespace

int main(int count, char** words) {
  const std::string_view what = count > 1 ? words[1] : "work";
  const int threads = count > 2 ? std::atoi(words[2]) : 2;
  const int launches = count > 3 ? std::atoi(words[3]) : 50;
  if (what == "resets") {
    std::vector<std::thread> running;
    for (int i = 0; i < 4; ++i) {
      running.emplace_back([i] {
        for (int round = 0; round < 25; ++round) {
          work(i, 2);
          cudaDeviceReset();
        }
      });
    }
    for (std::thread& thread : running) thread.join();
  } else if (what == "kinds") {
    run_kinds();
  } else if (what == "memory") {
    run_memory();
  } else if (what == "names") {
    run_names();
  } else if (what == "fork") {
    return run_children();
  } else if (what == "exits") {
    static std::atomic<bool> is_going{false};
    std::thread([] {
      for (;;) {
        work(1, 4);
        is_going = true;
      }
    }).detach();
    while (!is_going) std::this_thread::yield();
    void* device = nullptr;
    cudaMalloc(&device, sizeof(int) * kValues);
    std::memset(device, 0, sizeof(int) * kValues);
    cudaLaunchKernel(scale, kScale, 1, 1, &device, 0, nullptr);
    std::puts("leaving");
    std::fflush(stdout);
    std::exit(0);
  } else {
    run_threads(threads, launches);
  }
  return 0;
}
