// starpu_hooks/decode/lives.h: where the parts of the decoder report that a task can run or is
// done.
#pragma once

#include <cstdint>
#include <vector>

#include "starpu_hooks/decode/context.h"
#include "timeline/model/dense_table.h"

namespace perseid::starpu::decoding {

/// The one place that knows when a task is settled, ready and finished. Follows the rows to draw
/// tasks that have no work: they end when what they wait for has ended, without a record.
class Lives final : public RowFollower {
 public:
  explicit Lives(Parts& parts) : parts_(&parts) { parts.model.rows.add_follower(this); }

  /// A task that is submitted, or runs although no submission is recorded.
  void begin(const LifeRef& life, int64_t at_ns, ThreadId thread);
  /// The task's submission returned, or it shows signs of life: its place in the order is known.
  void settle(const LifeRef& life, int64_t at_ns, ThreadId thread);
  /// Counts it once, when its work is done or it will never be.
  void finish(const LifeRef& life, int64_t at_ns, ThreadId thread);
  void set_ready(TaskLife& life, int64_t at_ns, bool is_ready);

  void catch_up(const ModelBatch& batch) override;
  void begin_batch() override { read_ = 0; }
  void clear() { by_id_ = DenseTable<LifeRef>(); }

 private:
  bool reports_ready(const TaskLife& life) const;
  void draw_without_work(const TaskLife& life, const StepRow& step);

  Parts* parts_;
  size_t read_ = 0;             // steps of the current batch
  DenseTable<LifeRef> by_id_;   // tasks whose steps matter here
  std::vector<FlowEnd> flows_;  // used again and again
};

}  // namespace perseid::starpu::decoding
