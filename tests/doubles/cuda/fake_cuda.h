/* tests/doubles/cuda/fake_cuda.h: as much of CUDA's runtime as the tests call, without a device.
 *
 * Memory of a "device" is the host's, a kernel is a function that runs at once on the host, and
 * streams only decide at which times the device pretends to have done it. Names, callbacks and
 * records are those that NVIDIA's libraries would show to CUPTI. */
#pragma once

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct FakeStream* cudaStream_t;
typedef int cudaError_t;
enum { cudaSuccess = 0, cudaErrorInvalidValue = 1 };
enum { cudaMemcpyHostToDevice = 1, cudaMemcpyDeviceToHost = 2, cudaMemcpyDeviceToDevice = 8 };

typedef void (*FakeKernel)(void** arguments);

cudaError_t cudaSetDevice(int device);
cudaError_t cudaMalloc(void** memory, size_t bytes);
cudaError_t cudaFree(void* memory);
cudaError_t cudaStreamCreate(cudaStream_t* stream);
cudaError_t cudaMemcpyAsync(void* to, const void* from, size_t bytes, int kind,
                            cudaStream_t stream);
cudaError_t cudaMemcpyPeerAsync(void* to, int to_device, const void* from, int from_device,
                                size_t bytes, cudaStream_t stream);
cudaError_t cudaMemsetAsync(void* memory, int value, size_t bytes, cudaStream_t stream);
/* The kernel's mangled name comes along, since no compiler of NVIDIA's has registered it. */
cudaError_t cudaLaunchKernel(FakeKernel kernel, const char* name, int grid, int block,
                             void** arguments, size_t shared_bytes, cudaStream_t stream);
/* The same through the driver, as a program without the runtime would. */
cudaError_t cuLaunchKernel(FakeKernel kernel, const char* name, int grid, int block,
                           void** arguments, size_t shared_bytes, cudaStream_t stream);
cudaError_t cudaGraphLaunch(FakeKernel kernel, const char* name, int nodes, void** arguments,
                            cudaStream_t stream);
cudaError_t cudaStreamSynchronize(cudaStream_t stream);
cudaError_t cudaDeviceSynchronize(void);
cudaError_t cudaEventQuery(void);
cudaError_t cudaDeviceReset(void);

/* What only the tests want: records of kinds that CUDA does not cause on demand. */
void fake_cuda_overhead(void);
void fake_cuda_range(const char* name);
void fake_cuda_future_record(void);

#ifdef __cplusplus
}
#endif
