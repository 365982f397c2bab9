// timeline/walk/submitters.h: which threads of a capture hand out tasks, known before the walk
// begins.
//
// Readers of protobuf take a thread's place from the first thing they are told of it, long before
// its first task perhaps. So the records are looked at beforehand.
#pragma once

#include <vector>

#include "capture/reader.h"

namespace perseid {

/// By index in capture.streams(). Workers of a runtime are none, although their tasks may submit
/// others. Streams are read up to the first record that decides; to their end only in captures
/// of a runtime with tasks.
std::vector<bool> find_submitters(Capture& capture);

}  // namespace perseid
