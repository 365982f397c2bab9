// ompt/record/return_address.cpp: unwinds the stack to the first frame outside of the runtime.
#include "ompt/record/return_address.h"

#include <unwind.h>

#include "plugin/record/host_guard.h"

namespace perseid::ompt {
namespace {

struct Search {
  bool was_in_runtime;
  const void* found;
  int frames_left;
};

_Unwind_Reason_Code look_at_frame(_Unwind_Context* context, void* argument) noexcept {
  auto& search = *static_cast<Search*>(argument);
  const uint64_t address = _Unwind_GetIP(context);
  const bool is_in_runtime = g_runtime_code.contains(address);
  if (search.was_in_runtime && !is_in_runtime) {
    search.found = reinterpret_cast<const void*>(address);
    return _URC_END_OF_STACK;
  }
  search.was_in_runtime = is_in_runtime;
  return --search.frames_left > 0 ? _URC_NO_REASON : _URC_END_OF_STACK;
}

}  // namespace

const void* find_program_address() noexcept {
  constexpr int kMaxFrames = 16;
  Search search{false, nullptr, kMaxFrames};
  const SystemCallGuard guard;
  _Unwind_Backtrace(look_at_frame, &search);
  return search.found;
}

}  // namespace perseid::ompt
