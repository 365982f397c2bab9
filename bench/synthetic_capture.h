// bench/synthetic_capture.h: captures of any size, made by the real recorder.
#pragma once

#include <cstdint>
#include <string>

namespace perseid::bench {

enum class Shape {
  kPlain,  // a slice: two records
  kRich,   // a slice with 4 arguments, the end of one arrow and the start of another: four records
};

/// Slices on `threads` threads that take turns often, so that the merge has work. Records into
/// the session of this process, ends it, and returns the capture's path.
std::string record_slices(uint64_t slices, uint64_t threads, Shape shape);

}  // namespace perseid::bench
