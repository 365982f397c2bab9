// ompt/decode/counters.h: how many tasks and threads are in which state.
#pragma once

#include <cstdint>

#include "timeline/drawing/model.h"

namespace perseid::ompt {

/// A counter that changes with every task. Changes that follow each other faster than a reader can
/// tell apart are shown as one: two samples in kGrainNs are enough for the shape.
class Counter {
 public:
  static constexpr int64_t kGrainNs = 10'000;

  Counter(Model& model, const char* name, const char* unit)
      : model_(&model), name_(name), unit_(unit) {}

  void add(int64_t at_ns, int64_t difference);
  void finish();

 private:
  void sample(int64_t at_ns, int64_t value);

  Model* model_;
  const char* name_;
  const char* unit_;
  TrackId track_ = 0;  // 0: nothing was counted yet
  int64_t value_ = 0;
  int64_t changed_ns_ = 0;
  int64_t sampled_ns_ = 0;
  int64_t sampled_value_ = 0;
};

struct Counters {
  explicit Counters(Model& model)
      : created(model, "OpenMP tasks created", "tasks"),
        blocked(model, "OpenMP tasks waiting for dependences", "tasks"),
        ready(model, "OpenMP tasks ready", "tasks"),
        running(model, "OpenMP tasks running", "tasks"),
        idle(model, "OpenMP threads idle", "threads") {}

  void finish() {
    for (Counter* counter : {&created, &blocked, &ready, &running, &idle}) counter->finish();
  }

  Counter created;
  Counter blocked;
  Counter ready;
  Counter running;
  Counter idle;
};

}  // namespace perseid::ompt
