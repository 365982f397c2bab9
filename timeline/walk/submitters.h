// timeline/walk/submitters.h: which threads of a capture hand out tasks, known before the walk
// begins.
//
// Readers of protobuf take a thread's place from the first thing they read of it, long before
// its first task perhaps. So recorders note the role of each thread; in captures of those that
// did not, a few records are looked at beforehand.
#pragma once

#include <vector>

#include "capture/reader.h"

namespace perseid {

/// By index in capture.streams(). Workers of a runtime are none, although their tasks may submit
/// others.
std::vector<bool> find_submitters(Capture& capture);

}  // namespace perseid
