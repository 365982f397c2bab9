// timeline/model/rows_builder.cpp: batches go out as shared references and come back to the pool.
#include "timeline/model/rows_builder.h"

namespace perseid {
namespace {

/// More batches than sinks hold at a time are not worth keeping.
constexpr size_t kMaxFree = 8;

}  // namespace

RowsBuilder::RowsBuilder(const NameIds& names)
    : names_(&names), pool_(std::make_shared<Pool>()), current_(take_free()) {}

std::unique_ptr<ModelBatch> RowsBuilder::take_free() {
  const std::lock_guard lock(pool_->mutex);
  if (pool_->free.empty()) {
    auto made = std::make_unique<ModelBatch>();
    made->steps.reserve(kMaxRows + kMaxRows / 4);
    made->edges.reserve(kMaxRows);
    made->stretches.reserve(kMaxRows);
    made->tasks.reserve(kMaxRows / 2);
    made->executions.reserve(kMaxRows / 2);
    made->accesses.reserve(kMaxRows);
    return made;
  }
  std::unique_ptr<ModelBatch> batch = std::move(pool_->free.back());
  pool_->free.pop_back();
  return batch;
}

void RowsBuilder::flush(int64_t at_ns) {
  for (RowFollower* const follower : followers_) follower->catch_up(*current_);
  current_->end_ns = at_ns;
  current_->names = names_;
  if (sinks_.empty()) {
    current_->for_each_table([](auto& table) { table.clear(); });
  } else {
    const auto give_back = [pool = pool_](ModelBatch* batch) {
      std::unique_ptr<ModelBatch> owned(batch);
      owned->for_each_table([](auto& table) { table.clear(); });
      const std::lock_guard lock(pool->mutex);
      if (pool->free.size() < kMaxFree) pool->free.push_back(std::move(owned));
    };
    const BatchRef batch(current_.release(), give_back);
    for (ModelSink* const sink : sinks_) sink->take(batch);
    current_ = take_free();
  }
  current_->begin_ns = at_ns;
  for (RowFollower* const follower : followers_) follower->begin_batch();
}

}  // namespace perseid
