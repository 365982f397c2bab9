// starpu_hooks/decode/workers.cpp: which worker is which thread, and where its row is.
#include "starpu_hooks/decode/workers.h"

#include <fmt/format.h>

#include <algorithm>

#include "starpu_hooks/decode/categories.h"

namespace perseid::starpu::decoding {
namespace {

/// Runs of one worker are drawn below each other, up to this many in order.
constexpr uint32_t kRunsPerWorker = 256;
/// Far beyond StarPU's own limit; a damaged record may claim any number.
constexpr uint32_t kMaxWorker = 4096;

/// StarPU calls it "OpenCL 0 (name of the device)".
std::string with_dots(std::string_view name) {
  const size_t open = name.find(" (");
  if (open == std::string_view::npos || !name.ends_with(')')) return std::string(name);
  return fmt::format("{} · {}", name.substr(0, open),
                     name.substr(open + 2, name.size() - open - 3));
}

}  // namespace

void Workers::begin_run() noexcept { ++runs_; }

void Workers::add_row(const Worker& worker) {
  const auto kind_of = [](Architecture architecture) {
    switch (architecture) {
      case Architecture::kCpu:
        return WorkerKind::kCpu;
      case Architecture::kCuda:
        return WorkerKind::kCuda;
      case Architecture::kOpencl:
        return WorkerKind::kOpencl;
      default:
        return WorkerKind::kOther;
    }
  };
  WorkerRow row;
  row.id = worker.model_id;
  row.name = model_->names.of(worker.label);
  row.thread = worker.thread;
  row.number = worker.id;
  row.memory_node = worker.memory_node;
  row.runtime = Runtime::kStarpu;
  row.kind = kind_of(worker.architecture);
  model_->worker_states.describe(row);
}

void Workers::end_run(int64_t at_ns) {
  show_unused(at_ns);
  for (const Worker& worker : workers_) model_->worker_states.end(worker.model_id, at_ns);
  by_id_.clear();
  by_thread_.clear();
  combined_.clear();
  cpus_.clear();
  workers_.clear();
}

Worker& Workers::get(uint32_t id) {
  Worker*& known = by_id_[id];
  if (known == nullptr) {
    known = &workers_.emplace_back();
    known->id = id;
    known->label = fmt::format("worker {}", id);
    known->model_id = model_->worker_states.add(*now_ns_);
    add_row(*known);
  }
  return *known;
}

void Workers::set_worker(int64_t at_ns, uint32_t id, const Payload& words) {
  if (id >= kMaxWorker) return;
  Worker& worker = get(id);
  worker.known_since_ns = at_ns;
  if (low_half(words[0]) != 0) worker.label = with_dots(model_->strings.text(low_half(words[0])));
  worker.architecture = static_cast<Architecture>(high_half(words[0]));
  worker.memory_node = low_half(words[1]);
  cpus_[id] = words.integer(2);
  add_row(worker);
  show(worker);
}

void Workers::set_combined(uint32_t id, const Payload& words) {
  if (id >= kMaxWorker) return;
  std::vector<uint32_t>& members = combined_[id];
  members.clear();
  for (const uint64_t word : words.from(0)) members.push_back(static_cast<uint32_t>(word));
}

void Workers::bind(Thread& thread, uint32_t id) {
  if (id >= kMaxWorker) return;
  Worker& worker = get(id);
  if (worker.lane != nullptr) return;
  thread.tasks.owner = "StarPU";
  if (by_thread_.try_emplace(&thread, &worker).second) {
    worker.lane = &thread.lane;
  } else {
    give_own_lane(worker);
  }
  worker.thread = thread.id;
  add_row(worker);
  show(worker);
}

void Workers::give_own_lane(Worker& worker) {
  Track track;
  track.kind = TrackKind::kLane;
  track.name = worker.label;
  own_lanes_.push_back(
      std::make_unique<Lane>(model_->tracks, model_->sink, model_->tracks.add(std::move(track))));
  worker.lane = own_lanes_.back().get();
}

/// Without a slice a row is not shown, and that of a worker that got no task is worth seeing.
void Workers::show_unused(int64_t end_ns) {
  for (Worker& worker : workers_) {
    if (worker.known_since_ns == kNever) continue;
    if (worker.lane == nullptr) {
      give_own_lane(worker);
      show(worker);
    }
    if (!worker.lane->is_blank()) continue;
    worker.lane->add_finished(worker.known_since_ns, end_ns, "no task", kIdleCategory, {});
  }
}

void Workers::show(Worker& worker) {
  if (worker.lane == nullptr) return;
  const bool is_cpu = worker.architecture == Architecture::kCpu;
  const auto cpu = cpus_.find(worker.id);
  std::string name = worker.label;
  // A device's worker is bound too, but its CPU is no part of the device.
  if (is_cpu && cpu != cpus_.end()) {
    name += model_->topology.place_of(static_cast<int32_t>(cpu->second));
  }
  if (runs_ > 1) name += fmt::format(" · run {}", runs_);
  model_->tracks.rename(worker.lane->track(), std::move(name));
  model_->tracks.move(worker.lane->track(), is_cpu ? TrackGroup::kWorkers : TrackGroup::kDevices,
                      worker.id * kRunsPerWorker + std::min(runs_, kRunsPerWorker - 1));
}

Worker& Workers::at(Thread& thread, uint32_t id) {
  if (id >= kMaxWorker) id = 0;
  Worker& worker = get(id);
  if (worker.lane == nullptr) bind(thread, id);
  return worker;
}

Worker* Workers::of(const Thread& thread) {
  const auto known = by_thread_.find(&thread);
  return known != by_thread_.end() ? known->second : nullptr;
}

Worker* Workers::find(uint32_t id) {
  const auto known = by_id_.find(id);
  return known != by_id_.end() ? known->second : nullptr;
}

bool Workers::is_member(int32_t combined, uint32_t worker) const {
  const auto known = combined_.find(static_cast<uint32_t>(combined));
  if (combined < 0 || known == combined_.end()) return false;
  return std::find(known->second.begin(), known->second.end(), worker) != known->second.end();
}

std::string Workers::label(int32_t id) {
  if (id < 0) return "no worker";
  Worker* const worker = find(static_cast<uint32_t>(id));
  return worker != nullptr ? worker->label : fmt::format("worker {}", id);
}

}  // namespace perseid::starpu::decoding
