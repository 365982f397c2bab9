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
typedef struct FakePool* cudaMemPool_t;
typedef int cudaError_t;
enum { cudaSuccess = 0, cudaErrorInvalidValue = 1 };
enum { cudaMemcpyHostToDevice = 1, cudaMemcpyDeviceToHost = 2, cudaMemcpyDeviceToDevice = 8 };

typedef void (*FakeKernel)(void** arguments);

cudaError_t cudaSetDevice(int device);
cudaError_t cudaMalloc(void** memory, size_t bytes);
cudaError_t cudaFree(void* memory);
cudaError_t cudaMallocHost(void** memory, size_t bytes);
cudaError_t cudaFreeHost(void* memory);
/* A pool of the thread's device; its properties do not matter here. */
cudaError_t cudaMemPoolCreate(cudaMemPool_t* pool);
cudaError_t cudaMemPoolTrimTo(cudaMemPool_t pool, size_t min_bytes_to_keep);
cudaError_t cudaMemPoolDestroy(cudaMemPool_t pool);
cudaError_t cudaMallocFromPoolAsync(void** memory, size_t bytes, cudaMemPool_t pool,
                                    cudaStream_t stream);
/* Of memory from a pool. */
cudaError_t cudaFreeAsync(void* memory, cudaStream_t stream);
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
void fake_cuda_future_record(void);

/* What NVTX's functions do, if a tool is there: ranges, one that never ends, moments, names. */
void fake_cuda_range(const char* name);
void fake_cuda_open_range(const char* name);
void fake_cuda_mark(const char* name);
void fake_cuda_name_device(int device, const char* name);
void fake_cuda_name_context(int device, const char* name);
void fake_cuda_name_stream(cudaStream_t stream, const char* name);

#ifdef __cplusplus
}
#endif
