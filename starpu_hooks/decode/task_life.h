// starpu_hooks/decode/task_life.h: what StarPU's records have on a task beyond its rows, and which
// task an address means.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <string_view>
#include <utility>
#include <vector>

#include "timeline/drawing/slice.h"
#include "timeline/drawing/track.h"
#include "timeline/model/id_table.h"
#include "timeline/model/tasks.h"

namespace perseid::starpu::decoding {

inline constexpr int64_t kNever = -1;
inline constexpr int32_t kNoWorker = -1;

struct Access {
  uint64_t handle;
  uint32_t mode;
  uint64_t bytes;
};

/// From one submission on.
struct TaskLife {
  uint64_t address = 0;
  Tasks::Ref ref = Tasks::kNone;  // held as long as this object is in use
  TaskId id = 0;
  std::string_view name;  // never empty
  uint64_t codelet = 0;
  int32_t priority = 0;
  uint32_t context = 0;
  uint32_t flags = 0;  // SubmitFlag
  uint64_t tag = 0;
  double flops = 0;
  std::vector<Access> accesses;
  std::array<uint64_t, 2> iterations{};
  uint8_t iteration_depth = 0;

  bool was_submitted = false;  // its submission is recorded
  bool is_internal = false;    // StarPU submitted it while it did something else
  bool has_work = true;        // false: no codelet, or one that runs nowhere
  TrackId submitted_by = 0;
  ThreadId submitter = 0;
  int64_t submit_ns = kNever;
  FlowEnd submission{};  // the arrow from there; id 0: none

  TrackId pushed_by = 0;
  int32_t pushed_by_worker = kNoWorker;
  int64_t push_ns = kNever;
  bool is_counted_ready = false;

  uint32_t executions = 0;  // ranks of parallel tasks counted each
  uint32_t runs = 0;        // ranks of one run counted together
  uint32_t running = 0;     // executions, now
  bool is_settled = false;  // its dependencies are known
  bool is_finished = false;

  uint32_t users = 0;
};

/// Gives out lives and takes them back, with the memory of their lists: a task costs no allocation.
class LifePool {
 public:
  LifePool(Tasks& tasks, const int64_t& now_ns) : tasks_(&tasks), now_ns_(&now_ns) {}
  LifePool(const LifePool&) = delete;
  LifePool& operator=(const LifePool&) = delete;

  TaskLife* take() {
    if (free_.empty()) {
      lives_.emplace_back();
      return &lives_.back();
    }
    TaskLife* const life = free_.back();
    free_.pop_back();
    return life;
  }
  void give_back(TaskLife* life) {
    if (life->ref != Tasks::kNone) tasks_->release(life->ref, *now_ns_);
    std::vector<Access> accesses = std::move(life->accesses);
    accesses.clear();
    *life = TaskLife{};
    life->accesses = std::move(accesses);
    free_.push_back(life);
  }

 private:
  Tasks* tasks_;
  const int64_t* now_ns_;
  std::deque<TaskLife> lives_;  // they never move
  std::vector<TaskLife*> free_;
};

/// Keeps a life in use.
class LifeRef {
 public:
  LifeRef() = default;
  LifeRef(std::nullptr_t) {}  // NOLINT(google-explicit-constructor): as pointers have it
  LifeRef(LifePool& pool, TaskLife* life) : pool_(&pool), life_(life) { ++life_->users; }
  LifeRef(const LifeRef& other) : pool_(other.pool_), life_(other.life_) {
    if (life_ != nullptr) ++life_->users;
  }
  LifeRef(LifeRef&& other) noexcept
      : pool_(other.pool_), life_(std::exchange(other.life_, nullptr)) {}
  LifeRef& operator=(LifeRef other) noexcept {
    std::swap(pool_, other.pool_);
    std::swap(life_, other.life_);
    return *this;
  }
  ~LifeRef() {
    if (life_ != nullptr && --life_->users == 0) pool_->give_back(life_);
  }

  TaskLife* operator->() const noexcept { return life_; }
  TaskLife& operator*() const noexcept { return *life_; }
  bool operator==(std::nullptr_t) const noexcept { return life_ == nullptr; }
  explicit operator bool() const noexcept { return life_ != nullptr; }

 private:
  LifePool* pool_ = nullptr;
  TaskLife* life_ = nullptr;
};

/// An address cannot be submitted again before its task has ended: it means the latest submission.
class TaskTable {
 public:
  TaskTable(Tasks& tasks, const int64_t& now_ns) : pool_(tasks, now_ns) {}

  /// A life for the address, instead of the one before. It has no Tasks::Ref yet.
  LifeRef begin(uint64_t address) {
    const LifeRef life(pool_, pool_.take());
    life->address = address;
    by_address_[address] = life;
    return life;
  }
  /// Null if the address has no life now.
  LifeRef find(uint64_t address) {
    const LifeRef* const found = by_address_.find(address);
    return found != nullptr ? *found : LifeRef();
  }
  void end(uint64_t address) { by_address_.erase(address); }
  template <class Use>
  void for_each(Use&& use) {
    by_address_.for_each([&](uint64_t, LifeRef& life) { use(life); });
  }
  void clear() { by_address_ = {}; }

 private:
  LifePool pool_;  // outlives the references in the table
  IdTable<LifeRef> by_address_;
};

}  // namespace perseid::starpu::decoding
