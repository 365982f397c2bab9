// ompt/decode/team_decoder.cpp: regions, and the threads that take part in them.
#include "ompt/decode/team_decoder.h"

#include <fmt/format.h>

#include <utility>

#include "ompt/events.h"

namespace perseid::ompt {

WorkerRow TeamDecoder::worker_row(ThreadStack& stack) const {
  WorkerRow row;
  row.id = stack.worker;
  row.thread = stack.id();
  row.runtime = Runtime::kOpenmp;
  row.kind = WorkerKind::kOpenmpThread;
  const uint32_t name = stack.thread().info.name;
  if (name != 0) row.name = context_->model.names.of(context_->model.strings.text(name));
  return row;
}

void TeamDecoder::show_worker(ThreadStack& stack, int64_t at_ns) {
  stack.worker = context_->model.worker_states.add(at_ns);
  context_->model.worker_states.describe(worker_row(stack));
}

void TeamDecoder::report(const Region& region, uint64_t id, int64_t end_ns) {
  RegionRow row;
  row.begin_ns = region.begin_ns;
  row.end_ns = end_ns;
  row.number = id;
  row.thread = region.opener->id();
  row.size = static_cast<uint32_t>(region.team_size);
  row.name = context_->model.names.of_lasting(region.name);
  row.kind = RegionKind::kParallel;
  context_->model.rows.add(row);
}

void TeamDecoder::thread_begin(ThreadStack& stack, uint32_t type) {
  stack.is_alive = true;
  stack.is_worker = static_cast<ThreadType>(type) != ThreadType::kInitial;
}

void TeamDecoder::thread_end(ThreadStack& stack, Moment now) {
  stack.pop_to(0, now.ns);
  stack.is_alive = false;
  stack.is_gone = true;
}

void TeamDecoder::parallel_begin(ThreadStack& stack, Moment now, uint32_t arg,
                                 std::span<const uint64_t> words) {
  if (words.size() < 2) return;
  const bool is_league = (arg & kRegionIsLeague) != 0;
  const auto construct = is_league ? Construct::kTeams : Construct::kParallel;
  Region& region = regions_[words[0]];
  region = {};
  region.opener = &stack;
  region.begin_ns = now.ns;
  const Task* const around = stack.running();
  region.enclosing = around != nullptr ? around->enclosing : 0;
  region.code = context_->names.is_in_program(words[1], now.ticks) ? words[1]
                : around != nullptr                                ? around->code
                                                                   : 0;
  region.name = context_->names.of(construct, region.code, now.ticks);
  report(region, words[0], kNotYet);
  Frame& frame = stack.push(FrameKind::kRegion, now.ns, region.name, kParallelCategory);
  frame.id = words[0];
}

/// The arrow from the region's slice to the threads that join it. It starts with the first of them:
/// a team of one thread has none.
Arrow TeamDecoder::fork_of(Region& region, uint64_t id) {
  const size_t at = region.opener->find(FrameKind::kRegion, id);
  if (region.fork.id == 0 && at != ThreadStack::kNone) {
    OpenSlice& slice = region.opener->slice((*region.opener)[at]);
    const FlowEnd fork =
        context_->model.flows.start(slice.begin_ns, slice.begin_ns, FlowKind::kFork);
    region.fork = {fork.id, fork.source_begin_ns, fork.kind};
    slice.flows.push_back(fork);
  }
  return region.fork;
}

/// The region that ends on this thread. LLVM's runtime (seen with 14) reads the id from the team's
/// memory after it has given the team back: another thread may have begun a region there, and the
/// id is that one's.
uint64_t TeamDecoder::ending_region(ThreadStack& stack, uint64_t id) {
  const auto known = regions_.find(id);
  if (known != regions_.end() && known->second.opener == &stack) return id;
  const size_t at = stack.find_innermost(FrameKind::kRegion);
  return at != ThreadStack::kNone ? stack[at].id : 0;
}

/// Workers report the end of the last barrier and of their implicit task only when they are
/// needed again (LLVM 13 to 19), which may be much later: for them, too, the region ends here.
void TeamDecoder::parallel_end(ThreadStack& stack, Moment now, std::span<const uint64_t> words) {
  if (words.empty()) return;
  const uint64_t id = ending_region(stack, words[0]);
  const auto known = regions_.find(id);
  if (known != regions_.end()) {
    for (const Member& member : known->second.members) {
      if (member.stack == &stack) continue;
      end_task(*member.stack, now, member.task);
      context_->count_state(*member.stack, now.ns);
    }
    report(known->second, id, now.ns);
    regions_.erase(known);
  }
  const size_t at = stack.find(FrameKind::kRegion, id);
  if (at != ThreadStack::kNone) stack.pop_to(at, now.ns);
}

void TeamDecoder::implicit_begin(ThreadStack& stack, Moment now, uint32_t number,
                                 std::span<const uint64_t> words) {
  if (words.size() < 4) return;
  const auto known = regions_.find(words[1]);
  Region* const region = words[1] != 0 && known != regions_.end() ? &known->second : nullptr;
  const bool is_opener = region != nullptr && region->opener == &stack;
  if (region == nullptr && (words[3] & kTaskInitial) == 0) stack.is_worker = true;
  // Records are missing if a worker is still in the middle of something.
  if (!is_opener && stack.is_worker) stack.pop_to(0, now.ns);

  Task& task = context_->add_task(words[0], stack, now.ns);
  task.flags = static_cast<uint32_t>(words[3]);
  task.region = words[1];
  if (region != nullptr) {
    task.enclosing = region->enclosing;
    task.name = region->name;
    task.code = region->code;
    region->members.push_back({&stack, words[0]});
  }
  const uint64_t team_size = words[2] & UINT32_MAX;
  if (region != nullptr && region->team_size != team_size) {
    region->team_size = team_size;
    report(*region, words[1], kNotYet);
  }
  if (region == nullptr) {
    stack.push_hidden(FrameKind::kImplicit, now.ns).id = words[0];
  } else if (is_opener) {
    // The opener's part of the work is what the region's own slice shows.
    const size_t at = stack.find(FrameKind::kRegion, words[1]);
    if (at != ThreadStack::kNone) stack.slice(stack[at]).arguments.add({"threads", team_size});
    stack.push_hidden(FrameKind::kImplicit, now.ns).id = words[0];
  } else {
    const Arrow fork = fork_of(*region, words[1]);
    Frame& frame = stack.push(FrameKind::kImplicit, now.ns, region->name, kParallelCategory);
    frame.id = words[0];
    OpenSlice& slice = stack.slice(frame);
    slice.arguments.add({"thread", uint64_t{number}});
    if (const uint64_t processor = words[3] >> 32; processor != 0) {
      slice.arguments.add({"processor", processor - 1});
    }
    if (fork.id != 0) slice.flows.push_back(fork.arriving(now.ns));
  }
  show_binding(stack, words[2] >> 32);
  if (stack.is_worker) name_worker(stack, number, region);
}

/// Records may be missing: the end of a region's task is not that of the initial task around it,
/// and an initial task takes with it what is still open above it.
void TeamDecoder::implicit_end(ThreadStack& stack, Moment now, uint32_t flags) {
  for (size_t i = stack.size(); i-- > 0;) {
    if (stack[i].kind != FrameKind::kImplicit) continue;
    const Task* const task = context_->tasks.find(stack[i].id);
    const bool is_initial = task != nullptr && (task->flags & kTaskInitial) != 0;
    if (is_initial == ((flags & kTaskInitial) != 0)) return end_task(stack, now, stack[i].id);
    if (is_initial) return;
  }
}

void TeamDecoder::end_task(ThreadStack& stack, Moment now, uint64_t id) {
  const size_t at = stack.find(FrameKind::kImplicit, id);
  if (at != ThreadStack::kNone) stack.pop_to(at, now.ns);
  if (Task* const task = context_->tasks.find(id)) context_->forget(*task, stack, now.ns);
}

/// By the number in its first team, or the next free one. A thread begins with the name of the one
/// that made it; only another name is its own.
void TeamDecoder::name_worker(ThreadStack& stack, uint32_t number, const Region* region) {
  const auto [at, is_new] = worker_numbers_.try_emplace(stack.stream(), 0);
  if (!is_new) return;
  at->second = number = take_free(number);
  Thread& thread = stack.thread();
  const bool is_inherited = region != nullptr && region->opener != nullptr &&
                            region->opener->thread().info.name == thread.info.name;
  WorkerRow row = worker_row(stack);
  row.number = number;
  if (thread.info.name == 0 || is_inherited) {
    const std::string name = fmt::format("OpenMP thread {}", number);
    context_->model.threads.rename(thread, name);
    row.name = context_->model.names.of(name);
  }
  context_->model.threads.number(thread, number);
  context_->model.worker_states.describe(row);
}

/// The first free number from `wanted` on. Each taken number leads towards a free one, and a search
/// shortens the way for the next.
uint32_t TeamDecoder::take_free(uint32_t wanted) {
  uint32_t free = wanted;
  for (auto at = leads_to_.find(free); at != leads_to_.end(); at = leads_to_.find(free)) {
    free = at->second;
  }
  for (uint32_t at = wanted; at != free;) at = std::exchange(leads_to_[at], free + 1);
  leads_to_[free] = free + 1;
  return free;
}

void TeamDecoder::finish(int64_t end_ns) {
  for (const auto& [id, region] : regions_) report(region, id, end_ns);
  for (const auto& stack : context_->stacks) {
    if (stack && stack->is_worker) name_worker(*stack, 1, nullptr);
  }
}

void TeamDecoder::place(uint32_t place, std::span<const uint64_t> processors) {
  places_[place].assign(processors.begin(), processors.end());
}

void TeamDecoder::show_binding(ThreadStack& stack, uint64_t place_and_one) {
  if (place_and_one == 0) return;
  const auto known = places_.find(place_and_one - 1);
  if (known == places_.end() || known->second.empty()) return;
  // A place may be a core with several processors; more than a core is no place to show.
  const Topology& topology = context_->model.topology;
  const auto place = [&](uint64_t cpu) { return topology.place_of(static_cast<int32_t>(cpu)); };
  const std::string first = place(known->second.front());
  for (const uint64_t cpu : known->second) {
    if (cpu != known->second.front() && place(cpu) != first) return;
  }
  Thread& thread = stack.thread();
  const auto cpu = static_cast<int32_t>(known->second.front());
  if (thread.info.bound_cpu == cpu) return;
  thread.info.bound_cpu = cpu;
  if (stack.is_worker) return;  // is named with it
  const uint32_t name = thread.info.name;
  context_->model.threads.rename(thread, name != 0 ? context_->model.strings.text(name) : "");
}

}  // namespace perseid::ompt
