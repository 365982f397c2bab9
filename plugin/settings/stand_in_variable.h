// plugin/settings/stand_in_variable.h: how the library knows of `perseid run --openmp=llvm`.
#pragma once

namespace perseid {

/// The path of LLVM's OpenMP runtime, which LD_PRELOAD names too, so that it takes the place of
/// GCC's libgomp. ompt/record/stand_in.cpp decides in each process whether it can.
inline constexpr char kStandInVariable[] = "PERSEID_OPENMP";

}  // namespace perseid
