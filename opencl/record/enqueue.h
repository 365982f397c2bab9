// opencl/record/enqueue.h: one hook for all functions that put a command into a queue.
//
// They differ in what they take, but all begin with the queue, return a cl_int and end with the
// place for the command's event. If the program wants no event, we ask for one ourselves.
#pragma once

#include <tuple>
#include <utility>

#include "opencl/record/queues.h"

namespace perseid::opencl {

/// A call on its way to the platform.
class Enqueue {
 public:
  Enqueue(cl_command_queue handle, cl_event* program_event) noexcept
      : queue_(find_queue(handle)), program_event_(program_event), begin_(read_ticks()) {}

  /// What to hand down instead of the program's.
  cl_event* event() noexcept { return program_event_ ? program_event_ : &own_event_; }
  uint64_t begin() const noexcept { return begin_; }
  uint32_t queue_number() const noexcept { return queue_ ? queue_->number : kUnknownQueue; }

  void record(Command command, cl_int result, uint64_t bytes) noexcept {
    const SystemCallGuard guard;
    const uint64_t id = new_command_id();
    const uint32_t arg =
        static_cast<uint32_t>(command) | static_cast<uint32_t>(static_cast<uint16_t>(result)) << 16;
    emit(kind(kCommand), arg, id, begin_, queue_number(), bytes);
    follow(result, id);
  }

  /// After the command is recorded: its end must not come before it in the capture.
  void follow(cl_int result, uint64_t id) noexcept {
    if (result != CL_SUCCESS) return;
    cl_event event = program_event_ ? *program_event_ : own_event_;
    if (!event) return;
    if (!queue_ || id == 0) {
      if (!program_event_) g_below.clReleaseEvent(event);
      return;
    }
    if (program_event_ && g_below.clRetainEvent(event) != CL_SUCCESS) return;
    queue_->follow(event, id);
  }

 private:
  Queue* queue_;
  cl_event* program_event_;
  cl_event own_event_ = nullptr;
  uint64_t begin_;
};

/// `Bytes` computes from the arguments after the queue how many bytes the command moves; it may be
/// called after the call has returned, so it looks at numbers only.
template <auto Function, Command kCommand_, auto Bytes, class Signature>
struct EnqueueHook;

template <auto Function, Command kCommand_, auto Bytes, class... Arguments>
struct EnqueueHook<Function, kCommand_, Bytes,
                   cl_int(CL_API_CALL*)(cl_command_queue, Arguments...)> {
  static cl_int CL_API_CALL call(cl_command_queue queue, Arguments... arguments) {
    if (!records_commands()) return (g_below.*Function)(queue, arguments...);
    std::tuple<Arguments...> changed(arguments...);
    auto& event = std::get<sizeof...(Arguments) - 1>(changed);
    Enqueue enqueue(queue, event);
    event = enqueue.event();
    const cl_int result =
        std::apply([queue](auto... all) { return (g_below.*Function)(queue, all...); }, changed);
    const uint64_t bytes = Bytes(arguments...);
    enqueue.record(kCommand_, result, bytes);
    return result;
  }
};

inline constexpr auto kNoBytes = [](auto...) noexcept { return uint64_t{0}; };

/// Puts the hook over `Function` unless the platform has none.
template <auto Function, Command kCommand_, auto Bytes = kNoBytes>
void hook(cl_icd_dispatch& table) noexcept {
  using Signature = std::remove_reference_t<decltype(table.*Function)>;
  if (table.*Function) table.*Function = EnqueueHook<Function, kCommand_, Bytes, Signature>::call;
}

}  // namespace perseid::opencl
