// ompt/decode/counters.h: how many tasks and threads are in which state.
#pragma once

#include "timeline/drawing/counter.h"
#include "timeline/drawing/model.h"

namespace perseid::ompt {

/// With the meanings of StarPU's: a task is submitted until it is finished.
class Counters {
 public:
  explicit Counters(Model& model)
      : submitted(make(model, "OpenMP tasks submitted", "tasks")),
        blocked(make(model, "OpenMP tasks waiting for dependences", "tasks")),
        ready(make(model, "OpenMP tasks ready", "tasks")),
        running(make(model, "OpenMP tasks running", "tasks")),
        idle(make(model, "OpenMP threads idle", "threads")) {}

  void finish() {
    for (Counter* counter : {&submitted, &blocked, &ready, &running, &idle}) counter->finish();
  }

  Counter submitted;  // and not finished
  Counter blocked;
  Counter ready;    // and not taken by a thread
  Counter running;  // not those that wait for others
  Counter idle;

 private:
  /// Faster changes than this nobody can see apart: two samples show the shape.
  static constexpr int64_t kGrainNs = 10'000;

  static Counter make(Model& model, const char* name, const char* unit) {
    return {model.tracks, model.sink, name, unit, {kGrainNs, true}};
  }
};

}  // namespace perseid::ompt
