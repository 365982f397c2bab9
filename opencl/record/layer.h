// opencl/record/layer.h: the functions below us, and what the files of hooks share.
//
// The ICD loader calls our table instead of the platform's; every hook calls the function below it
// exactly once. Written against the Khronos headers, linked to nothing of OpenCL.
#pragma once

#define CL_TARGET_OPENCL_VERSION 300
#define CL_USE_DEPRECATED_OPENCL_1_1_APIS
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <CL/cl_layer.h>

#include "opencl/events.h"
#include "plugin/record/emit.h"

namespace perseid::opencl {

/// The table below us. Entries that the loader does not have are null.
inline constinit cl_icd_dispatch g_below{};

/// True if commands are to be recorded: by the setting, or because StarPU is in the process.
bool records_commands() noexcept;

/// Puts our functions for queues and waiting, and for commands, over those below.
void hook_queues(cl_icd_dispatch& table) noexcept;
void hook_commands(cl_icd_dispatch& table) noexcept;
void hook_memory_commands(cl_icd_dispatch& table) noexcept;

/// 0 while nothing can be recorded.
uint32_t intern(const char* text, size_t length) noexcept;
/// A number that no other command of this process has; 0 while nothing can be recorded.
uint64_t new_command_id() noexcept;

}  // namespace perseid::opencl
