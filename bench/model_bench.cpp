// bench/model_bench.cpp: what the rows of the model cost: time and allocations per StarPU task, and
// memory where very many tasks read the same datum.
//
// A task has 10 records: submit with three accesses, submit_end, push, push_end, pop, pre_exec,
// exec_begin, exec_end, post_exec, clean. One thread submits, 64 tasks ahead of two workers.
// "Model alone" reports to Tasks, DataOrder and RowsBuilder what the decoder would. "Walk" reads a
// capture of the same tasks, decodes it, and hands slices to a sink that drops them. Both count
// only the second half of the tasks: by then everything has the size it keeps.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <new>
#include <stdexcept>
#include <vector>

#include "bench/child.h"
#include "bench/harness.h"
#include "bench/machine.h"
#include "bench/options.h"
#include "bench/own_cost.h"
#include "bench/table.h"
#include "tests/stream/starpu/starpu_capture.h"
#include "timeline/drawing/dependency_arrows.h"
#include "timeline/model/data_order.h"
#include "timeline/model/names.h"
#include "timeline/model/tasks.h"
#include "timeline/model/worker_states.h"
#include "timeline/walk/decoder.h"
#include "timeline/walk/walk.h"

namespace {

uint64_t allocations = 0;  // of the only thread

}  // namespace

// All other forms of new end here.
void* operator new(size_t bytes) {
  ++allocations;
  if (void* const memory = std::malloc(bytes)) return memory;
  throw std::bad_alloc();
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, size_t) noexcept { std::free(memory); }

namespace perseid::bench {
namespace {

constexpr uint64_t kAhead = 64;  // tasks between submission and execution
constexpr uint64_t kData = 256;
constexpr uint32_t kWorkers = 2;
constexpr int64_t kTaskNs = 100;

struct TaskUse {
  uint64_t datum;
  bool is_write;
};

/// As in a factorization: two tiles are read, a third is updated.
std::array<TaskUse, 3> uses_of(uint64_t task) {
  return {{{task * 5 % kData, false}, {(task * 7 + 1) % kData, false}, {task % kData, true}}};
}

struct Cost {
  double ns = 0;  // all of them per task
  double rows = 0;
  double edges = 0;
  double allocations = 0;
};

/// Counts rows. Of time and allocations, what comes after the first half of the tasks.
class Counter final : public ModelSink {
 public:
  explicit Counter(uint64_t tasks) : half_(tasks / 2) {}

  void take(const BatchRef& batch) override {
    tasks_ += batch->tasks.size();
    edges_ += batch->edges.size();
    rows_ += batch->tasks.size() + batch->accesses.size() + batch->steps.size() +
             batch->edges.size() + batch->data.size() + batch->stretches.size();
    if (tasks_ < half_) return;
    if (first_.tasks == 0) first_ = now();
    latest_ = now();
  }
  void finish(const NameIds&) override {}

  uint64_t edges() const noexcept { return edges_; }
  Cost cost() const {
    const auto tasks = static_cast<double>(latest_.tasks - first_.tasks);
    if (tasks == 0) throw std::runtime_error("too few tasks");
    return {(latest_.cpu_ns - first_.cpu_ns) / tasks,
            static_cast<double>(latest_.rows - first_.rows) / tasks,
            static_cast<double>(latest_.edges - first_.edges) / tasks,
            static_cast<double>(latest_.allocations - first_.allocations) / tasks};
  }

 private:
  struct Moment {
    uint64_t tasks = 0;
    uint64_t rows = 0;
    uint64_t edges = 0;
    uint64_t allocations = 0;
    double cpu_ns = 0;
  };
  Moment now() const {
    return {tasks_, rows_, edges_, ::allocations, bench::cpu_ns(CLOCK_THREAD_CPUTIME_ID)};
  }

  uint64_t half_;
  uint64_t tasks_ = 0;
  uint64_t rows_ = 0;
  uint64_t edges_ = 0;
  Moment first_;
  Moment latest_;
};

/// The model without records: what a decoder calls for each of them.
class ModelAlone {
 public:
  explicit ModelAlone(ModelSink& sink) : rows_(names_), tasks_(rows_), states_(rows_) {
    rows_.add_sink(&sink);
    for (uint32_t i = 0; i < kWorkers; ++i) states_.add(0);
    for (DataId id = 1; id <= kData; ++id) rows_.add_new({});
  }

  void submit(uint64_t number, int64_t at_ns) {
    TaskRow row;
    row.runtime = Runtime::kStarpu;
    row.name = row.kind = names_.of_lasting(kName);
    row.submitted_by = 1;
    const Tasks::Ref task = tasks_.submit(row, at_ns);
    refs_[number % kAhead] = task;
    rows_.end_record(at_ns);
    for (const TaskUse& use : uses_of(number)) {
      rows_.add(AccessRow{tasks_.id(task), 64, static_cast<DataId>(use.datum + 1),
                          use.is_write ? AccessMode::kReadWrite : AccessMode::kRead});
    }
    for (const TaskUse& use : uses_of(number)) {
      data_[use.datum].access(tasks_, use.is_write ? AccessKind::kWrite : AccessKind::kRead, task,
                              static_cast<DataId>(use.datum + 1), at_ns);
    }
    tasks_.settle(task, at_ns, 1, true);
    rows_.end_record(at_ns);
  }

  void execute(uint64_t number, int64_t at_ns) {
    const Tasks::Ref task = refs_[number % kAhead];
    const auto worker = static_cast<WorkerId>(number % kWorkers + 1);
    const ThreadId thread = worker + 1;
    const TaskId id = tasks_.id(task);
    tasks_.ready(task, at_ns, thread);
    rows_.end_record(at_ns);
    rows_.end_record(at_ns + 1);  // push_end
    tasks_.step(task, StepKind::kTaken, at_ns + 2, thread, worker);
    states_.set(worker, WorkerState::kFetch, at_ns + 2, id);
    rows_.end_record(at_ns + 2);
    states_.set(worker, WorkerState::kSchedule, at_ns + 3, id);
    rows_.end_record(at_ns + 3);
    tasks_.begin(task, at_ns + 4, thread, worker);
    states_.set(worker, WorkerState::kWork, at_ns + 4, id);
    rows_.end_record(at_ns + 4);
    states_.set(worker, WorkerState::kSchedule, at_ns + 60, id);
    tasks_.end(task, at_ns + 60, thread, worker);
    tasks_.finish(task, at_ns + 60, thread);
    rows_.end_record(at_ns + 60);
    states_.set(worker, WorkerState::kIdle, at_ns + 61);
    rows_.end_record(at_ns + 61);
    tasks_.release(task, at_ns + 62);
    rows_.end_record(at_ns + 62);
  }

 private:
  static constexpr std::string_view kName = "gemm";

  NameIds names_;
  RowsBuilder rows_;
  Tasks tasks_;
  WorkerStates states_;
  std::array<DataOrder, kData> data_;
  std::array<Tasks::Ref, kAhead> refs_{};
};

Cost measure_model(uint64_t tasks) {
  Counter counter(tasks);
  ModelAlone model(counter);
  for (uint64_t i = 0; i < tasks; ++i) {
    const auto at_ns = static_cast<int64_t>(i) * kTaskNs;
    if (i >= kAhead) model.execute(i - kAhead, at_ns);
    model.submit(i, at_ns + 70);
  }
  return counter.cost();
}

class NoDrawing final : public TraceSink {
 public:
  void process(const Process&) override {}
  void track(const Track&) override {}
  void slice(const Slice& slice) override { keep(slice.begin_ns); }
  void counter(TrackId, int64_t, double value) override { keep(value); }
  void finish(const RunFacts&) override {}
};

constexpr uint64_t kFirstTask = 0x55550000;
constexpr uint64_t kTasksPerChunk = 256;
constexpr uint64_t kFirstDatum = 0x66660000;

void record_tasks(test::StarpuCapture& capture, uint64_t tasks) {
  namespace events = perseid::starpu;
  for (uint64_t i = 0; i < kData; ++i) {
    capture.main().record(50, events::kDataRegister, 0, {kFirstDatum + 64 * i, 64, 0, 0});
  }
  // Addresses are used again, as StarPU's are.
  const auto address = [](uint64_t task) { return kFirstTask + 0x180 * (task % (2 * kAhead)); };
  for (uint64_t i = 0; i < tasks + kAhead; ++i) {
    const int64_t at_ns = 1000 + static_cast<int64_t>(i) * kTaskNs;
    if (i % kTasksPerChunk == 0) {
      capture.main().stream().cut();
      for (uint32_t worker = 0; worker < kWorkers; ++worker) capture.worker(worker).stream().cut();
    }
    if (i >= kAhead) {
      const uint64_t task = address(i - kAhead);
      const auto worker = static_cast<uint32_t>((i - kAhead) % kWorkers);
      capture.worker(worker)
          .push(at_ns, task)
          .push_end(at_ns + 1, task)
          .pop(at_ns + 2, worker, task)
          .pre_exec(at_ns + 3, worker, task)
          .exec(at_ns + 4, worker, task)
          .exec_end(at_ns + 60, worker, task)
          .post_exec(at_ns + 61, worker, task)
          .clean(at_ns + 62, task);
    }
    if (i >= tasks) continue;
    test::Submitted what;
    what.name = "gemm";
    for (const TaskUse& use : uses_of(i)) {
      what.uses.push_back(
          {kFirstDatum + 64 * use.datum,
           use.is_write ? uint32_t{events::kRead | events::kWrite} : uint32_t{events::kRead}});
    }
    capture.main().submit_at(at_ns + 70, address(i), what);
  }
  capture.capture.write();
}

Cost measure_walk(const std::string& path, uint64_t tasks, uint64_t arrows) {
  Result<std::unique_ptr<Capture>> capture = Capture::open(path, known_kinds());
  if (!capture) throw std::runtime_error(capture.error());
  Counter counter(tasks);
  NoDrawing nowhere;
  WalkOptions options;
  options.dependency_arrows = arrows;
  options.model_sinks.push_back(&counter);
  walk(**capture, nowhere, options);
  return counter.cost();
}

/// The run with the least CPU time: others had neighbours.
template <class Run>
Cost best_of(size_t runs, Run&& run) {
  Cost best = run();
  for (size_t i = 1; i < runs; ++i) {
    const Cost cost = run();
    if (cost.ns < best.ns) best = cost;
  }
  return best;
}

void report_tasks(const Options& options) {
  const uint64_t tasks = options.is_quick ? 100'000 : 300'000;
  const size_t runs = options.is_quick ? 3 : 9;
  test::StarpuCapture capture(kWorkers, "lws");
  record_tasks(capture, tasks);
  const std::string path = capture.capture.path();

  Table table("Rows of a StarPU task of 10 records, per task",
              {"what", "ns", "rows", "edges", "allocations"});
  const auto add = [&](const char* what, const Cost& cost) {
    table.add({what, fixed(cost.ns, 0), fixed(cost.rows, 2), fixed(cost.edges, 2),
               fixed(cost.allocations, 4)});
  };
  add("model alone", best_of(runs, [&] { return measure_model(4 * tasks); }));
  add("walk: read, merge, decode, no arrows",
      best_of(runs, [&] { return measure_walk(path, tasks, 0); }));
  add("the same with all arrows",
      best_of(runs, [&] { return measure_walk(path, tasks, ~uint64_t{0}); }));
  table.print();
}

/// In a process of its own, whose peak is that of this alone.
int read_one_datum(uint64_t readers) {
  NameIds names;
  RowsBuilder rows(names);
  Tasks tasks(rows);
  Flows flows;
  DependencyArrows arrows(rows, flows, DependencyArrows::kDefaultLimit);
  Counter counter(2);
  rows.add_sink(&counter);
  DataOrder order;
  std::vector<Tasks::Ref> open;
  const OwnCost before = own_cost();
  const double before_ns = cpu_ns(CLOCK_THREAD_CPUTIME_ID);
  int64_t at_ns = 0;
  const auto finish_all = [&] {
    for (const Tasks::Ref task : open) {
      tasks.begin(task, ++at_ns, 1, 1);
      tasks.end(task, ++at_ns, 1, 1);
      tasks.finish(task, at_ns, 1);
      tasks.release(task, at_ns);
      rows.end_record(at_ns);
    }
    open.clear();
  };
  const auto submit = [&](AccessKind kind) {
    open.push_back(tasks.submit({}, ++at_ns));
    order.access(tasks, kind, open.back(), 1, at_ns);
    tasks.settle(open.back(), at_ns, 1, false);
    rows.end_record(at_ns);
  };
  for (uint64_t i = 0; i < readers; ++i) {
    submit(AccessKind::kRead);
    if (open.size() == kAhead) finish_all();
  }
  submit(AccessKind::kWrite);
  finish_all();
  order.clear(tasks, at_ns);
  rows.flush(at_ns);
  fmt::print("{}\t{}\t{}\n", own_cost().peak_mib - before.peak_mib, counter.edges(),
             (cpu_ns(CLOCK_THREAD_CPUTIME_ID) - before_ns) / static_cast<double>(readers));
  return 0;
}

void report_readers(const Options& options) {
  Table table("Readers of one datum, then a writer; 64 open at a time",
              {"million readers", "peak grows by MiB", "million edges", "ns/reader"});
  const uint64_t most = options.is_quick ? 1'000'000 : 10'000'000;
  for (const uint64_t readers : {most / 10, most}) {
    const Rows rows = run_child(own_program(), {"--readers", std::to_string(readers)}, "");
    table.add({fixed(static_cast<double>(readers) / 1e6, 1), fixed(std::stod(rows.at(0).at(0)), 1),
               fixed(std::stod(rows.at(0).at(1)) / 1e6, 6), fixed(std::stod(rows.at(0).at(2)), 0)});
  }
  table.print();
}

int run(const Options& options) {
  const auto& rest = options.rest;
  if (rest.size() == 2 && rest[0] == "--readers") return read_one_datum(std::stoul(rest[1]));
  if (options.shows_machine) print_machine();
  report_tasks(options);
  report_readers(options);
  return 0;
}

}  // namespace
}  // namespace perseid::bench

int main(int count, char** words) {
  return perseid::bench::run_bench("model_bench", count, words, perseid::bench::run);
}
