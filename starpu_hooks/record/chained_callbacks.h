// starpu_hooks/record/chained_callbacks.h: a callback of ours that runs the program's own after it.
#pragma once

#include <cstdint>

#include "starpu_hooks/record/starpu/starpu_api.h"

namespace perseid::starpu {

/// State of a message until it is complete.
struct ChainedCallback {
  CallbackFunction function;  // of the program; may be null
  void* argument;
  uint64_t message;
  ChainedCallback* next;  // while it is free
};

/// Null if there is no memory: then the program's callback goes in unchanged.
ChainedCallback* take_chained(CallbackFunction function, void* argument, uint64_t message) noexcept;
void give_back(ChainedCallback* chained) noexcept;

}  // namespace perseid::starpu
