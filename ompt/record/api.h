// ompt/record/api.h: the part of OpenMP's tools interface (OpenMP 5.2, chapter 19) that the hooks
// use.
//
// Declared here, so that the library builds on machines without an OpenMP runtime that has the
// interface. tests/unit/ompt/api_test.cpp compares it with a runtime's own header.
#pragma once

#include <cstddef>
#include <cstdint>

#include "ompt/numbers.h"

namespace perseid::ompt {

/// A word of ours that the runtime keeps with a thread, a region or a task.
union Data {
  uint64_t value;
  void* pointer;
};

struct Frame;
struct Device;

struct Dependence {
  Data variable;
  DependenceType type;
};

struct DispatchChunk {
  uint64_t start;
  uint64_t iterations;
};

enum class CallbackId : int {
  kThreadBegin = 1,
  kThreadEnd = 2,
  kParallelBegin = 3,
  kParallelEnd = 4,
  kTaskCreate = 5,
  kTaskSchedule = 6,
  kImplicitTask = 7,
  kControlTool = 11,
  kDeviceInitialize = 12,
  kSyncRegionWait = 16,
  kMutexReleased = 17,
  kDependences = 18,
  kWork = 20,
  kMasked = 21,
  kSyncRegion = 23,
  kMutexAcquire = 26,
  kMutexAcquired = 27,
  kCancel = 30,
  kReduction = 31,
  kDispatch = 32,
  kTargetEmi = 33,
  kTargetDataOpEmi = 34,
  kTargetSubmitEmi = 35,
  kError = 37,
};

using Function = void (*)();
using Lookup = Function (*)(const char* name);
using SetCallback = int (*)(CallbackId event, Function callback);
using GetNumPlaces = int (*)();
using GetPlaceProcIds = int (*)(int place, int ids_size, int* ids);
using GetPlaceNum = int (*)();

struct StartToolResult {
  int (*initialize)(Lookup lookup, int initial_device, Data* tool_data);
  void (*finalize)(Data* tool_data);
  Data tool_data;
};

}  // namespace perseid::ompt
