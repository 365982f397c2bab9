// ompt/decode/thread_stack.h: what a thread is in the middle of, outermost first.
//
//   initial task > parallel > implicit task > single > task > taskwait > task > critical
//
// Slices nest as constructs do: a task that waits contains the tasks run meanwhile, on the same
// row. Only a task that leaves its thread (untied, or detached) is cut into several slices.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "ompt/decode/task_table.h"
#include "timeline/drawing/model.h"

namespace perseid::ompt {

enum class FrameKind : uint8_t {
  kRegion,    // a parallel region, on the thread that opened it
  kImplicit,  // an initial or implicit task
  kTask,      // an explicit task
  kWait,      // barrier, taskwait or the end of a taskgroup
  kGroup,     // taskgroup
  kWork,      // work sharing, masked, reduction
  kChunk,     // a part of a loop
  kMutex,     // held
  kTarget,    // target region, or a part of it
};

struct Frame {
  FrameKind kind = FrameKind::kWork;
  bool has_slice = false;
  uint32_t detail = 0;  // kind of the wait, the work or the target operation
  Lane::Handle slice = 0;
  uint64_t id = 0;    // of the region, task or mutex
  TaskId task = 0;    // of an explicit task: in the model
  uint64_t code = 0;  // of work sharing: its chunks are named after it
  int64_t begin_ns = 0;
  int64_t tasks_ns = 0;  // spent in tasks inside this wait
  uint32_t tasks = 0;    // that ran inside this wait
};

class ThreadStack {
 public:
  ThreadStack(Model& model, TaskTable& tasks, Thread& thread, ThreadId id)
      : model_(&model), tasks_(&tasks), thread_(&thread), id_(id) {}

  /// Valid until the next push or pop.
  Frame& push(FrameKind kind, int64_t at_ns, std::string_view name, const Category& category,
              TaskId task = 0);
  /// A frame that shows nothing.
  Frame& push_hidden(FrameKind kind, int64_t at_ns);
  void pop(int64_t at_ns);
  /// Pops until `size` frames are left.
  void pop_to(size_t size, int64_t at_ns) {
    while (frames_.size() > size) pop(at_ns);
  }
  /// Takes a frame out from under others that go on, such as a lock.
  void take_out(size_t index, int64_t at_ns);

  static constexpr size_t kNone = ~size_t{0};
  /// Index of the frame of that kind and id that was pushed last.
  size_t find(FrameKind kind, uint64_t id) const noexcept;
  size_t find_innermost(FrameKind kind) const noexcept;
  /// Of the frame of a task, explicit or not.
  size_t find_task(uint64_t id) const noexcept;
  size_t innermost_task() const noexcept;
  /// The last frame of that kind that the running task itself has opened.
  size_t find_own(FrameKind kind) const noexcept;

  Frame& operator[](size_t index) noexcept { return frames_[index]; }
  Frame& back() noexcept { return frames_.back(); }
  size_t size() const noexcept { return frames_.size(); }
  bool is_empty() const noexcept { return frames_.empty(); }
  OpenSlice& slice(const Frame& frame) noexcept { return thread_->lane[frame.slice]; }

  /// The task that the thread runs. Null if it is not known.
  Task* running() noexcept;
  /// Waits for dependences are tasks of their own that begin and end like brackets. 0: there is
  /// none.
  void begin_dependence_wait(uint64_t task) { dependence_waits_.push_back(task); }
  uint64_t dependence_wait() const noexcept {
    return dependence_waits_.empty() ? 0 : dependence_waits_.back();
  }
  void end_dependence_wait() noexcept {
    if (!dependence_waits_.empty()) dependence_waits_.pop_back();
  }
  /// A row of the wait on top, which has begun. Its end adds another.
  void report_wait_begin() { report_wait(back(), kNotYet, slice(back()).name); }
  Thread& thread() noexcept { return *thread_; }
  ThreadId id() const noexcept { return id_; }
  uint32_t stream() const noexcept { return thread_->info.stream; }

  bool is_worker = false;   // waits for work when it has none
  bool wants_lock = false;  // and does not have it, as its latest record says
  bool is_alive = false;
  bool is_counted_idle = false;
  bool is_counted_running = false;
  bool is_gone = false;  // has reported its end
  bool is_cut = false;   // the capture ends here, whatever the thread does
  WorkerId worker = 0;   // 0: it has not shown itself

 private:
  void close(Frame& frame, int64_t at_ns);
  void report_wait(const Frame& frame, int64_t end_ns, std::string_view name);

  Model* model_;
  TaskTable* tasks_;
  Thread* thread_;
  ThreadId id_;
  std::vector<Frame> frames_;
  std::vector<uint64_t> dependence_waits_;  // the innermost last
};

}  // namespace perseid::ompt
