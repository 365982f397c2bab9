// starpu_hooks/decode/calls.cpp: opens and closes calls as they nest on each thread.
#include "starpu_hooks/decode/calls.h"

#include <algorithm>

namespace perseid::starpu::decoding {
namespace {

/// Deeper than any program goes: the ends must be missing.
constexpr size_t kMaxNested = 200;

}  // namespace

Call& Calls::open(Thread& thread, int64_t at_ns, CallKind kind, uint64_t key, std::string_view name,
                  const Category& category) {
  Stack& stack = stack_of(thread, at_ns);
  if (stack.calls.size() >= kMaxNested) {
    while (!stack.calls.empty()) close_lost(thread, stack, at_ns);
  }
  stack.calls.push_back({kind, key, thread.lane.open(at_ns, name, category)});
  return stack.calls.back();
}

Call* Calls::find_ending(Thread& thread, int64_t at_ns, CallKind kind, uint64_t key) {
  Stack& stack = stack_of(thread, at_ns);
  const auto found = std::find_if(stack.calls.rbegin(), stack.calls.rend(), [&](const Call& call) {
    return call.kind == kind && call.key == key;
  });
  if (found == stack.calls.rend()) {
    ++model_->orphan_ends;
    return nullptr;
  }
  for (auto inner = found - stack.calls.rbegin(); inner > 0; --inner) {
    close_lost(thread, stack, at_ns);
  }
  return &stack.calls.back();
}

void Calls::close(Thread& thread, int64_t at_ns) {
  Stack& stack = stacks_[&thread];
  thread.lane.close(stack.calls.back().slice, at_ns);
  stack.calls.pop_back();
}

Call* Calls::innermost(Thread& thread, int64_t at_ns) {
  Stack& stack = stack_of(thread, at_ns);
  return stack.calls.empty() ? nullptr : &stack.calls.back();
}

bool Calls::is_in_starpu(Thread& thread, int64_t at_ns) {
  const Stack& stack = stack_of(thread, at_ns);
  return !stack.calls.empty() && stack.calls.back().kind != CallKind::kCallback;
}

void Calls::finish(int64_t end_ns) {
  for (auto& [thread, stack] : stacks_) {
    while (!stack.calls.empty()) {
      thread->lane[stack.calls.back().slice].arguments.add({"unfinished", true});
      close(*thread, end_ns);
    }
  }
}

/// Where records were lost, ends may be among them, and nothing shows which.
Calls::Stack& Calls::stack_of(Thread& thread, int64_t at_ns) {
  Stack& stack = stacks_[&thread];
  if (stack.lost != thread.lost) {
    stack.lost = thread.lost;
    while (!stack.calls.empty()) close_lost(thread, stack, at_ns);
  }
  return stack;
}

void Calls::close_lost(Thread& thread, Stack& stack, int64_t at_ns) {
  thread.lane[stack.calls.back().slice].arguments.add({"end", std::string_view("lost")});
  close(thread, at_ns);
}

}  // namespace perseid::starpu::decoding
