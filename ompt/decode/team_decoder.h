// ompt/decode/team_decoder.h: threads, parallel regions and implicit tasks.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "ompt/decode/context.h"

namespace perseid::ompt {

class TeamDecoder {
 public:
  explicit TeamDecoder(Context& context) : context_(&context) {}

  /// Writes the row of a thread from which the first record comes.
  void show_worker(ThreadStack& stack, int64_t at_ns);
  void thread_begin(ThreadStack& stack, uint32_t type);
  void thread_end(ThreadStack& stack, Moment now);
  void parallel_begin(ThreadStack& stack, Moment now, uint32_t arg,
                      std::span<const uint64_t> words);
  void parallel_end(ThreadStack& stack, Moment now, std::span<const uint64_t> words);
  void implicit_begin(ThreadStack& stack, Moment now, uint32_t number,
                      std::span<const uint64_t> words);
  void implicit_end(ThreadStack& stack, Moment now, uint32_t flags);
  /// Workers that were never needed get a name, too.
  void finish(int64_t end_ns);
  void place(uint32_t place, std::span<const uint64_t> processors);

 private:
  struct Member {
    ThreadStack* stack;
    uint64_t task;
  };
  struct Region {
    ThreadStack* opener = nullptr;
    std::string_view name;
    uint64_t code = 0;
    TaskId enclosing = 0;  // explicit task
    int64_t begin_ns = 0;
    uint64_t team_size = 0;
    Arrow fork;
    std::vector<Member> members;
  };

  void report(const Region& region, uint64_t id, int64_t end_ns);
  WorkerRow worker_row(ThreadStack& stack) const;
  Arrow fork_of(Region& region, uint64_t id);
  uint64_t ending_region(ThreadStack& stack, uint64_t id);
  void end_task(ThreadStack& stack, Moment now, uint64_t task);
  uint32_t take_free(uint32_t wanted);
  void name_worker(ThreadStack& stack, uint32_t number, const Region* region);
  void show_binding(ThreadStack& stack, uint64_t place_and_one);

  Context* context_;
  std::unordered_map<uint64_t, Region> regions_;
  std::unordered_map<uint64_t, std::vector<uint64_t>> places_;
  std::unordered_map<uint32_t, uint32_t> worker_numbers_;  // by stream
  std::unordered_map<uint32_t, uint32_t> leads_to_;        // from each taken number
};

}  // namespace perseid::ompt
