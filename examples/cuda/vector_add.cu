// examples/cuda/vector_add.cu: two streams add vectors, for a machine with a CUDA device.
//
//   nvcc -O2 -o vector_add vector_add.cu
//   perseid run -- ./vector_add
#include <cstdio>
#include <vector>

__global__ void add(const float* a, const float* b, float* sum, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) sum[i] = a[i] + b[i];
}

static void check(cudaError_t error, const char* what) {
  if (error == cudaSuccess) return;
  std::fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(error));
  std::exit(1);
}

int main() {
  constexpr int kCount = 1 << 20;
  constexpr size_t kBytes = kCount * sizeof(float);
  constexpr int kStreams = 2;
  std::vector<float> a(kCount, 1.0f), b(kCount, 2.0f), sum(kCount);
  cudaStream_t streams[kStreams];
  float* device[kStreams][3];
  for (int s = 0; s < kStreams; ++s) {
    check(cudaStreamCreate(&streams[s]), "cudaStreamCreate");
    for (float*& memory : device[s]) check(cudaMalloc(&memory, kBytes), "cudaMalloc");
  }
  for (int round = 0; round < 10; ++round) {
    for (int s = 0; s < kStreams; ++s) {
      float** d = device[s];
      check(cudaMemcpyAsync(d[0], a.data(), kBytes, cudaMemcpyHostToDevice, streams[s]), "copy");
      check(cudaMemcpyAsync(d[1], b.data(), kBytes, cudaMemcpyHostToDevice, streams[s]), "copy");
      add<<<(kCount + 255) / 256, 256, 0, streams[s]>>>(d[0], d[1], d[2], kCount);
      check(cudaMemcpyAsync(sum.data(), d[2], kBytes, cudaMemcpyDeviceToHost, streams[s]), "copy");
    }
  }
  check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
  std::printf("%g\n", sum[kCount - 1]);
  return 0;
}
