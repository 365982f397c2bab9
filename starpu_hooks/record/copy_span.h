// starpu_hooks/record/copy_span.h: one copy between memory nodes, as the outermost function sees
// it.
#pragma once

#include <cstddef>
#include <cstdint>

#include "starpu_hooks/record/hook.h"

namespace perseid::starpu {

struct CopyEnds {
  unsigned source_node;
  unsigned destination_node;
  uint64_t source;
  uint64_t destination;
};

/// Records a copy around `call`, which returns StarPU's result. StarPU's functions for copies call
/// each other, row by row; only the outermost is recorded.
template <class Call>
int copy(const CopyEnds& ends, uint64_t bytes, Call call) {
  if (!is_recording() || !records_everything()) return call();
  const bool is_outermost = t_word.nesting == 0;
  if (is_outermost)
    emit(kind(kCopyBegin), ends.source_node | ends.destination_node << 16, bytes, ends.source,
         ends.destination);
  ++t_word.nesting;
  const int result = call();
  --t_word.nesting;
  if (is_outermost) emit(kind(kCopyEnd), bits(result), bytes);
  return result;
}

}  // namespace perseid::starpu
