// tools/perseid/openmp_runtime.h: which OpenMP runtime a program uses, and where LLVM's is.
#pragma once

#include <string>

#include "capture/result.h"

namespace perseid {

/// The program was built for GCC's libgomp, which tells tools nothing.
bool needs_libgomp(const std::string& program_path);

/// LLVM's libomp.so.5, which has libgomp's functions, too, and may take its place. The newest one
/// of this machine, or the one in LD_LIBRARY_PATH.
Result<std::string> find_llvm_openmp();

/// Why that runtime cannot take libgomp's place in this program; empty if it can.
std::string why_not_in_place(const std::string& program_path, const std::string& runtime_path);

}  // namespace perseid
