// cupti/record/call_list.h: the functions of CUDA whose calls are recorded, by CUPTI's numbers.
//
// Launches, copies, sets and waits. Not the functions that runtimes poll with: of a StarPU run with
// 200 tasks, 25,000 of 26,000 calls were cudaEventQuery. Numbers are only ever added; a
// library that does not know one refuses it.
#pragma once

#include <cstdint>

namespace perseid::cupti {

struct CallRange {
  uint16_t first;
  uint16_t last;
};

inline constexpr uint32_t kDeviceReset = 164;  // of the runtime

inline constexpr CallRange kRuntimeCalls[] = {
    {13, 13},                                        // cudaLaunch
    {31, 52},                                        // cudaMemcpy*, cudaMemset*
    {126, 126},                                      // cudaThreadSynchronize
    {131, 131},                                      // cudaStreamSynchronize
    {137, 137},                                      // cudaEventSynchronize
    {142, 145},                                      // cudaMemset3D*, cudaMemcpy3D*
    {147, 147},                                      // cudaStreamWaitEvent
    {160, 163},                                      // cudaMemcpyPeer*
    {164, 165},                                      // cudaDeviceReset, cudaDeviceSynchronize
    {211, 211},                                      // cudaLaunchKernel
    {213, 236},                                      // the same with a default stream per thread
    {239, 239}, {243, 247}, {249, 250}, {269, 270},  // cudaLaunchCooperativeKernel
    {272, 272}, {284, 285},                          // cudaLaunchHostFunc
    {311, 312},                                      // cudaGraphLaunch
    {430, 431},                                      // cudaLaunchKernelExC
    {482, 485},                                      // batches of copies
    {505, 506},  // __cudaLaunchKernel: what nvcc 13 calls for <<< >>>
    {509, 512},
};

inline constexpr CallRange kDriverCalls[] = {
    {17, 17},                                        // cuCtxSynchronize
    {115, 117},                                      // cuLaunch*
    {121, 121},                                      // cuEventSynchronize
    {126, 126},                                      // cuStreamSynchronize
    {248, 254},                                      // cuMemcpy, cuMemset*
    {276, 293},                                      // cuMemcpy*
    {305, 307},                                      // cuMemcpy, cuMemcpyAsync, cuLaunchKernel
    {318, 321},                                      // cuMemcpyPeer*
    {397, 416},                                      // with a default stream per thread
    {418, 433}, {440, 440}, {442, 442}, {467, 468},  // cuMemPrefetchAsync
    {477, 478},                                      // cuLaunchCooperativeKernel
    {480, 480}, {514, 515},                          // cuGraphLaunch
    {527, 528},                                      // cuLaunchHostFunc
    {652, 653},                                      // cuLaunchKernelEx
    {716, 717}, {776, 779}, {784, 785}, {796, 800},
};

}  // namespace perseid::cupti
