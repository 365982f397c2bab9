// timeline/model/rows_builder.h: collects the rows of the current window and hands out batches.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "timeline/model/batch.h"

namespace perseid {

/// Reads rows as they are added, in the same pass, instead of batch by batch.
class RowFollower {
 public:
  virtual ~RowFollower() = default;
  /// `batch` has more rows than before. Called at the latest before its rows go.
  virtual void catch_up(const ModelBatch& batch) = 0;
  /// The next call of catch_up() is about another batch, from its first row on.
  virtual void begin_batch() = 0;
};

/// One thread adds. Tables of batches that nobody holds any more are used again, so that rows cost
/// no allocation in the long run.
class RowsBuilder {
 public:
  /// Rows of a batch: enough to make its own cost small, few enough to stay in a cache.
  static constexpr size_t kMaxRows = 4096;

  explicit RowsBuilder(const NameIds& names);

  void add_sink(ModelSink* sink) { sinks_.push_back(sink); }
  void add_follower(RowFollower* follower) { followers_.push_back(follower); }

  void add(const TaskRow& row) { current_->tasks.push_back(row); }
  void add(const StepRow& row) { current_->steps.push_back(row); }
  void add(const ExecutionRow& row) { current_->executions.push_back(row); }
  void add(const EdgeRow& row) { current_->edges.push_back(row); }
  void add(const DataRow& row) { current_->data.push_back(row); }
  void add(const WorkerRow& row) { current_->workers.push_back(row); }
  void add(const StretchRow& row) { current_->stretches.push_back(row); }
  void add(const WaitRow& row) { current_->waits.push_back(row); }
  void add(const RegionRow& row) { current_->regions.push_back(row); }
  void add(const TransferRow& row) { current_->transfers.push_back(row); }
  void add(const MessageRow& row) { current_->messages.push_back(row); }
  void add(const DeviceRow& row) { current_->device_work.push_back(row); }
  void add(const CpuTimeRow& row) { current_->cpu_times.push_back(row); }
  /// A piece of data that no row has named before: gives it its id (row.id is filled in).
  DataId add_new(DataRow row) {
    row.id = ++last_data_;
    add(row);
    return row.id;
  }
  void add(const AccessRow& row) { current_->accesses.push_back(row); }

  const ModelBatch& current() const noexcept { return *current_; }

  /// Between two records: followers read on, and the window may end here.
  void end_record(int64_t at_ns) {
    follow();
    if (current_->steps.size() + current_->edges.size() + current_->stretches.size() +
            current_->cpu_times.size() <
        kMaxRows) [[likely]] {
      return;
    }
    flush(at_ns);
  }
  /// Followers read what there is.
  void follow() {
    for (RowFollower* const follower : followers_) follower->catch_up(*current_);
  }
  /// Hands over what there is.
  void flush(int64_t at_ns);

 private:
  struct Pool {
    std::mutex mutex;  // a sink may let go of a batch on another thread
    std::vector<std::unique_ptr<ModelBatch>> free;
  };
  std::unique_ptr<ModelBatch> take_free();

  const NameIds* names_;
  std::vector<ModelSink*> sinks_;
  std::vector<RowFollower*> followers_;
  std::shared_ptr<Pool> pool_;
  std::unique_ptr<ModelBatch> current_;
  DataId last_data_ = 0;
};

}  // namespace perseid
