// tools/perseid/openmp_runtime.h: where LLVM's OpenMP runtime is.
#pragma once

#include <string>

#include "capture/result.h"

namespace perseid {

/// LLVM's libomp.so.5, which has libgomp's functions, too, and may take its place. The newest one
/// of this machine, or the one in LD_LIBRARY_PATH.
Result<std::string> find_llvm_openmp();

}  // namespace perseid
