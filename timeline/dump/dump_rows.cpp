// timeline/dump/dump_rows.cpp: prints batches of the model as they come.
#include "timeline/dump/dump_rows.h"

#include <fmt/format.h>

#include <memory>
#include <string>

#include "capture/reader.h"
#include "timeline/model/batch.h"
#include "timeline/model/names.h"
#include "timeline/sinks/no_drawing.h"
#include "timeline/walk/decoder.h"
#include "timeline/walk/walk.h"
#include "timeline/writers/printable.h"

namespace perseid {
namespace {

constexpr const char* kSteps[] = {"submitted", "ready",    "blocked",  "taken",
                                  "fetch",     "begin",    "suspend",  "resume",
                                  "end",       "callback", "finished", "retired"};
constexpr const char* kCauses[] = {"data", "declared", "tag", "parent", "end", "member"};
constexpr const char* kModes[] = {"read", "write", "read_write", "commute", "reduction", "scratch"};
constexpr const char* kStates[] = {"idle",   "work",    "fetch",    "schedule", "callback", "sleep",
                                   "paused", "barrier", "taskwait", "lock",     "target"};
constexpr const char* kWaits[] = {"tasks",    "throttle",  "data", "tag",     "barrier",
                                  "taskwait", "taskgroup", "lock", "message", "mpi"};
constexpr const char* kRegions[] = {"parallel", "iteration", "phase"};
constexpr const char* kRuntimes[] = {"none", "starpu", "openmp"};
constexpr const char* kDeviceWork[] = {"kernel", "copy", "fill", "other"};

template <class Kind, size_t N>
const char* word(const char* const (&words)[N], Kind kind) {
  const auto index = static_cast<size_t>(kind);
  return index < N ? words[index] : "?";
}

/// "17", or "group17".
std::string node(NodeId id) {
  return is_group(id) ? fmt::format("group{}", id & ~kGroupBit) : fmt::format("{}", id);
}

/// "-" for what has not ended.
std::string end_text(int64_t end_ns) { return end_ns == kNotYet ? "-" : fmt::format("{}", end_ns); }

class RowPrinter final : public ModelSink {
 public:
  explicit RowPrinter(const LineWriter& write) : write_(&write) {}

  void take(const BatchRef& batch) override;
  void finish(const NameIds&) override {}
  uint64_t lines() const noexcept { return lines_; }

 private:
  template <class... Args>
  void print(fmt::format_string<Args...> format, Args&&... args) {
    if (is_closed_) return;
    line_.clear();
    fmt::format_to(std::back_inserter(line_), format, std::forward<Args>(args)...);
    line_ += '\n';
    ++lines_;
    is_closed_ = !(*write_)(line_);
  }
  std::string name(NameId id) const {
    return fmt::format("\"{}\"", names_ != nullptr ? printable(names_->text(id)) : "");
  }
  void print_lives(const ModelBatch& batch);
  void print_rest(const ModelBatch& batch);

  const LineWriter* write_;
  const NameIds* names_ = nullptr;
  std::string line_;
  uint64_t lines_ = 0;
  bool is_closed_ = false;
};

void RowPrinter::take(const BatchRef& batch) {
  names_ = batch->names;
  print("batch begin={} end={}", batch->begin_ns, batch->end_ns);
  print_lives(*batch);
  print_rest(*batch);
}

void RowPrinter::print_lives(const ModelBatch& batch) {
  for (const WorkerRow& row : batch.workers) {
    print("worker {} name={} runtime={} number={} thread={} memory_node={}", row.id, name(row.name),
          word(kRuntimes, row.runtime), row.number, row.thread, row.memory_node);
  }
  for (const DataRow& row : batch.data) {
    print("data {} name={} bytes={} parent={}", row.id, name(row.name), row.bytes, row.parent);
  }
  for (const TaskRow& row : batch.tasks) {
    print(
        "task {} name={} kind={} runtime={} thread={} parent={} priority={} context={} "
        "flags=0x{:x} worker_kinds=0x{:x}",
        row.id, name(row.name), name(row.kind), word(kRuntimes, row.runtime), row.submitted_by,
        row.parent, row.priority, row.context, row.flags, row.worker_kinds);
  }
  for (const AccessRow& row : batch.accesses) {
    print("access {} data={} mode={} bytes={} ordered={}", row.task, row.data,
          word(kModes, row.mode), row.bytes, row.is_ordered);
  }
  for (const EdgeRow& row : batch.edges) {
    print("edge {} {} {} data={}", node(row.from), node(row.to), word(kCauses, row.cause),
          row.data);
  }
  for (const StepRow& row : batch.steps) {
    print("step {} {} at={} thread={} worker={} detail={} after={}", node(row.task),
          word(kSteps, row.kind), row.ns, row.thread, row.worker, row.detail, node(row.after));
  }
}

void RowPrinter::print_rest(const ModelBatch& batch) {
  for (const ExecutionRow& row : batch.executions) {
    print(
        "execution {} worker={} begin={} end={} footprint={:08x} implementation={} "
        "predicted={:.0f} "
        "predicted_transfer={:.0f}",
        row.task, row.worker, row.begin_ns, row.end_ns, row.footprint, row.implementation,
        row.predicted_ns, row.predicted_transfer_ns);
  }
  for (const StretchRow& row : batch.stretches) {
    print("stretch worker={} state={} begin={} end={} task={} next={}", row.worker,
          word(kStates, row.state), row.begin_ns, row.end_ns, row.task,
          row.is_last ? "-" : word(kStates, row.next));
  }
  for (const WaitRow& row : batch.waits) {
    print("wait {} name={} thread={} begin={} end={} object=0x{:x}", word(kWaits, row.kind),
          name(row.name), row.thread, row.begin_ns, end_text(row.end_ns), row.object);
  }
  for (const RegionRow& row : batch.regions) {
    print("region {} name={} thread={} begin={} end={} number={} size={}", word(kRegions, row.kind),
          name(row.name), row.thread, row.begin_ns, end_text(row.end_ns), row.number, row.size);
  }
  for (const TransferRow& row : batch.transfers) {
    print("transfer from={} to={} begin={} end={} bytes={} data={} thread={}", row.from_node,
          row.to_node, row.begin_ns, row.end_ns, row.bytes, row.data, row.thread);
  }
  for (const MessageRow& row : batch.messages) {
    print("message {} peer={} begin={} end={} bytes={} id=0x{:x} thread={} task={}",
          row.is_receive ? "receive" : "send", row.peer, row.begin_ns, end_text(row.end_ns),
          row.bytes, row.id, row.thread, row.task);
  }
  for (const DeviceRow& row : batch.device_work) {
    print("device {} {} name={} row={} begin={} end={} task={}", row.device,
          word(kDeviceWork, row.kind), name(row.name), row.row, row.begin_ns, row.end_ns, row.task);
  }
  for (const CpuTimeRow& row : batch.cpu_times) {
    print("cpu_time thread={} at={} cpu_ns={}", row.thread, row.ns, row.cpu_ns);
  }
}

}  // namespace

Result<DumpReport> dump_rows(const std::string& path, const LineWriter& write) {
  Result<std::unique_ptr<Capture>> opened = Capture::open(path, known_kinds());
  if (!opened) return Error{opened.error()};
  RowPrinter printer(write);
  NoDrawing drawing;
  WalkOptions options;
  options.dependency_arrows = 0;
  options.model_sinks = {&printer};
  walk(**opened, drawing, options);
  DumpReport report;
  report.lines = printer.lines();
  report.damages = (*opened)->damages().count();
  return report;
}

}  // namespace perseid
