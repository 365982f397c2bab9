// cupti/decode/decoder.cpp: calls on the threads that made them, work on the rows of its streams.
#include "cupti/decode/decoder.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "capture/clock_limits.h"
#include "capture/payload.h"
#include "cupti/decode/markers.h"
#include "cupti/decode/memory.h"
#include "cupti/decode/names.h"
#include "cupti/decode/rows.h"
#include "cupti/events.h"
#include "cupti/numbers.h"
#include "timeline/drawing/device_calls.h"

namespace perseid::cupti {
namespace {

constexpr Category kOverheadCategory{"overhead"};
constexpr uint64_t kSyncRow = UINT64_MAX;
constexpr uint32_t kMaxDevice = 4096;  // a damaged record may claim any number
constexpr size_t kMaxNested = 200;     // deeper than any program goes: ends must be missing

class CuptiDecoder final : public Decoder {
 public:
  explicit CuptiDecoder(Model& model)
      : model_(&model), calls_(model), kernels_(model), markers_(model) {}

  void record(Thread& thread, int64_t at_ns, const RecordHeader& header,
              std::span<const uint64_t> given) override {
    const Payload words(given);
    const auto event = static_cast<Event>(header.kind & 0xff);
    switch (event) {
      case kCallBeginRecord:
        return begin_call(thread, at_ns, header.arg, words);
      case kCallEndRecord:
        return end_call(thread, at_ns, header.arg, words);
      case kKernelRecord:
        return show_kernel(header.arg, words);
      case kCopyRecord:
        return show_copy(header.arg, words);
      case kSetRecord:
        return show_set(header.arg, words);
      case kSyncRecord:
        return show_sync(header.arg, words);
      case kGraphRecord:
        return show_graph(header.arg, words);
      case kMemoryRecord:
        return count_memory(header.arg, words);
      case kPoolRecord:
        return count_pool(header.arg, words);
      case kOverheadRecord:
        return show_overhead(header.arg, words);
      case kMarkerRecord:
        return show_marker(header.arg, words);
      default:
        return read_facts(at_ns, event, header.arg, words);
    }
  }

  void finish(int64_t end_ns) override;

 private:
  struct OpenCall {
    uint32_t correlation = 0;
    Domain domain = Domain::kRuntime;
    bool is_shown = true;
    Lane::Handle slice = 0;
  };
  int64_t to_ns(uint64_t time) const {
    const int64_t mono_ns = std::clamp<int64_t>(bounded_ns(time) + offset_ns_, 0, kMaxMonoNs);
    return std::max<int64_t>(0, mono_ns - model_->timebase.start_mono_ns());
  }
  Device& device(uint32_t number) {
    number = std::min(number, kMaxDevice);
    auto& known = devices_[number];
    if (!known) known = std::make_unique<Device>(*model_, fmt::format("GPU {}", number), number);
    return *known;
  }
  void read_facts(int64_t at_ns, Event event, uint32_t arg, const Payload& words);
  void begin_call(Thread& thread, int64_t at_ns, uint32_t function, const Payload& words);
  void end_call(Thread& thread, int64_t at_ns, uint32_t result, const Payload& words);
  void close_lost(Thread& thread, std::vector<OpenCall>& open, size_t size, int64_t at_ns);

  /// Words 0 to 3 of everything that happens on a stream.
  std::unique_ptr<DeviceWork> make_work(const Payload& words, std::string_view name,
                                        const Category& category);
  void add_bytes(DeviceWork& work, uint64_t bytes);
  void add(uint64_t cause, std::unique_ptr<DeviceWork> work);
  void show_kernel(uint32_t name, const Payload& words);
  void show_copy(uint32_t how, const Payload& words);
  void show_set(uint32_t value, const Payload& words);
  void show_sync(uint32_t type, const Payload& words);
  void show_graph(uint32_t graph, const Payload& words);
  void count_memory(uint32_t arg, const Payload& words);
  void count_pool(uint32_t operation, const Payload& words);
  void show_overhead(uint32_t kind, const Payload& words);
  void show_marker(uint32_t name, const Payload& words);
  Lane& overhead_lane();

  Model* model_;
  DeviceCalls calls_;
  KernelNames kernels_;
  std::map<uint32_t, std::unique_ptr<Device>> devices_;
  std::unordered_map<uint32_t, uint32_t> device_of_context_;
  StreamRows rows_;
  DeviceMemory memory_;
  Markers markers_;
  std::unordered_map<Thread*, std::vector<OpenCall>> open_calls_;
  std::map<uint32_t, uint64_t> unknown_;
  std::optional<Lane> overhead_lane_;
  int64_t offset_ns_ = 0;  // from the time in records to CLOCK_MONOTONIC
  uint64_t dropped_ = 0;
};

void CuptiDecoder::read_facts(int64_t at_ns, Event event, uint32_t arg, const Payload& words) {
  switch (event) {
    case kLibraryRecord:
      model_->notes.emplace_back("cupti_version", std::to_string(arg), FactScope::kRun);
      return;
    case kClockRecord:
      offset_ns_ = std::clamp(bounded_ns(words[0]) - bounded_ns(words[1]), -kMaxMonoNs, kMaxMonoNs);
      return;
    case kDeviceRecord:
      return rows_.set_product(device(arg), model_->strings.text(words.low(0)));
    case kContextRecord:
      device_of_context_[arg] = words.low(0);
      if (words.high(0) != 0) rows_.set_default(device(words.low(0)), arg, words.high(0));
      return;
    case kNameRecord:
      return rows_.set_given(device(words.low(1)), static_cast<ObjectKind>(words[0]), words.high(1),
                             words.low(2), model_->strings.text(arg));
    case kDroppedRecord: {
      dropped_ += words[0];
      const Argument arguments[] = {{"records", words[0]}};
      overhead_lane().add_instant(at_ns, "records dropped", kOverheadCategory, arguments);
      return;
    }
    case kUnknownKindRecord:
      unknown_[arg] += words[0];
      return;
    default:
      return;
  }
}

void CuptiDecoder::begin_call(Thread& thread, int64_t at_ns, uint32_t function,
                              const Payload& words) {
  std::vector<OpenCall>& open = open_calls_[&thread];
  if (open.size() >= kMaxNested) close_lost(thread, open, 0, at_ns);
  OpenCall call;
  call.correlation = words.low(0);
  call.domain = static_cast<Domain>(words.high(0));
  // The runtime calls the driver to do its work; that is one call of the program's.
  if (call.domain == Domain::kDriver && !open.empty()) {
    call.is_shown = false;
    calls_.add_number(call.correlation, open.front().correlation);
    open.push_back(call);
    return;
  }
  const std::string_view name =
      function != 0 ? without_version(model_->strings.text(function)) : "CUDA call";
  const bool is_wait = name.find("Synchronize") != std::string_view::npos;
  call.slice = thread.lane.open(at_ns, name, is_wait ? kDeviceWaitCategory : kCallCategory);
  thread.lane[call.slice].arguments.append({"correlation", uint64_t{call.correlation}});
  calls_.begin(call.correlation, thread, call.slice);
  open.push_back(call);
}

void CuptiDecoder::end_call(Thread& thread, int64_t at_ns, uint32_t result, const Payload& words) {
  std::vector<OpenCall>& open = open_calls_[&thread];
  const auto found = std::find_if(open.rbegin(), open.rend(), [&](const OpenCall& call) {
    return call.correlation == words.low(0) && call.domain == static_cast<Domain>(words.high(0));
  });
  if (found == open.rend()) {
    ++model_->orphan_ends;
    return;
  }
  close_lost(thread, open, static_cast<size_t>(open.rend() - found), at_ns);
  const OpenCall& call = open.back();
  if (call.is_shown) {
    if (result != 0) thread.lane[call.slice].arguments.append({"error", uint64_t{result}});
    thread.lane.close(call.slice, at_ns);
  }
  open.pop_back();
}

/// Those above the first `size`: their ends are missing.
void CuptiDecoder::close_lost(Thread& thread, std::vector<OpenCall>& open, size_t size,
                              int64_t at_ns) {
  for (; open.size() > size; open.pop_back()) {
    if (!open.back().is_shown) continue;
    thread.lane[open.back().slice].arguments.append({"end", std::string_view("lost")});
    thread.lane.close(open.back().slice, at_ns);
  }
}

std::unique_ptr<DeviceWork> CuptiDecoder::make_work(const Payload& words, std::string_view name,
                                                    const Category& category) {
  auto work = std::make_unique<DeviceWork>();
  work->row = rows_.row(device(words.high(0)), words.low(3), words.high(3));
  work->begin_ns = to_ns(words[1]);
  work->end_ns = std::max(work->begin_ns, to_ns(words[2]));
  work->name = name;
  work->category = category;
  return work;
}

void CuptiDecoder::add_bytes(DeviceWork& work, uint64_t bytes) {
  work.arguments.append({"bytes", bytes});
  const int64_t duration_ns = work.end_ns - work.begin_ns;
  if (duration_ns > 0) {
    work.arguments.append(
        {"gigabytes_per_second", static_cast<double>(bytes) / static_cast<double>(duration_ns)});
  }
}

void CuptiDecoder::add(uint64_t cause, std::unique_ptr<DeviceWork> work) {
  calls_.attribute(low_half(cause), *work);
  device(high_half(cause)).add(std::move(work));
}

void CuptiDecoder::show_kernel(uint32_t mangled, const Payload& words) {
  const KernelNames::Name& name = kernels_.of(mangled);
  auto work = make_work(words, name.shown, kKernelCategory);
  ArgumentList& arguments = work->arguments;
  const std::string grid = dimensions(words.low(4), words.high(4), words.low(5));
  const std::string block = dimensions(words.high(5), words.low(6), words.high(6));
  arguments.append({"grid", std::string_view(grid)});
  arguments.append({"block", std::string_view(block)});
  arguments.append({"registers_per_thread", uint64_t{words.low(7)}});
  arguments.append({"static_shared_bytes", uint64_t{words.high(7)}});
  arguments.append({"dynamic_shared_bytes", uint64_t{words.low(8)}});
  if (words.high(8) != 0) arguments.append({"graph", uint64_t{words.high(8)}});
  if (name.whole != name.shown) arguments.append({"signature", std::string_view(name.whole)});
  add(words[0], std::move(work));
}

void CuptiDecoder::show_copy(uint32_t how, const Payload& words) {
  auto work = make_work(words, copy_name(static_cast<uint8_t>(how)), kCopyCategory);
  add_bytes(*work, words[4]);
  ArgumentList& arguments = work->arguments;
  arguments.append({"from_memory", memory_name(static_cast<uint8_t>(how >> 8))});
  arguments.append({"to_memory", memory_name(static_cast<uint8_t>(how >> 16))});
  arguments.append({"asynchronous", (how >> 24 & kCopyIsAsynchronous) != 0});
  if (words.low(5) != words.high(5)) {
    arguments.append({"from_device", uint64_t{words.low(5)}});
    arguments.append({"to_device", uint64_t{words.high(5)}});
  }
  if (words[6] != 0) arguments.append({"graph", words[6]});
  add(words[0], std::move(work));
}

void CuptiDecoder::show_set(uint32_t value, const Payload& words) {
  auto work = make_work(words, "set memory", kFillCategory);
  add_bytes(*work, words[4]);
  work->arguments.append({"value", uint64_t{value}});
  work->arguments.append({"memory", memory_name(static_cast<uint8_t>(words[5]))});
  if (words.high(5) != 0) work->arguments.append({"graph", uint64_t{words.high(5)}});
  add(words[0], std::move(work));
}

void CuptiDecoder::show_sync(uint32_t type, const Payload& words) {
  const auto known = device_of_context_.find(words.low(3));
  Device& on = device(known != device_of_context_.end() ? known->second : 0);
  auto work = std::make_unique<DeviceWork>();
  work->row = kSyncRow;
  on.name_row(kSyncRow, "synchronisation");
  work->begin_ns = to_ns(words[1]);
  work->end_ns = std::max(work->begin_ns, to_ns(words[2]));
  work->name = sync_name(type);
  work->category = kDeviceWaitCategory;
  work->is_busy = false;  // the host waits, for work that is counted itself
  if (words.high(3) != UINT32_MAX) work->arguments.append({"stream", uint64_t{words.high(3)}});
  calls_.attribute(words.low(0), *work);
  on.add(std::move(work));
}

void CuptiDecoder::show_graph(uint32_t graph, const Payload& words) {
  auto work = make_work(words, "graph", kKernelCategory);
  work->arguments.append({"graph", uint64_t{graph}});
  add(words[0], std::move(work));
}

void CuptiDecoder::count_memory(uint32_t arg, const Payload& words) {
  Device& on = device(words.high(0));
  const int64_t at_ns = to_ns(words[1]);
  memory_.change(on, at_ns, static_cast<MemoryOperation>(arg & 0xff),
                 {memory_name(static_cast<uint8_t>(arg >> 8)), words[2], words[3]});
  if (words[5] != 0) memory_.set_pool(on, at_ns, {words[5], words[6], words[7]});
}

void CuptiDecoder::count_pool(uint32_t operation, const Payload& words) {
  const bool is_gone = static_cast<PoolOperation>(operation) == PoolOperation::kDestroyed;
  const Pool now = is_gone ? Pool{words[2], 0, 0} : Pool{words[2], words[3], words[4]};
  memory_.set_pool(device(words.high(0)), to_ns(words[1]), now);
}

Lane& CuptiDecoder::overhead_lane() {
  if (!overhead_lane_) {
    overhead_lane_.emplace(model_->add_row("CUPTI", TrackGroup::kDevices, UINT32_MAX));
  }
  return *overhead_lane_;
}

void CuptiDecoder::show_overhead(uint32_t overhead, const Payload& words) {
  Slice slice;
  slice.begin_ns = to_ns(words[0]);
  slice.end_ns = std::max(slice.begin_ns, to_ns(words[1]));
  slice.name = overhead_name(overhead);
  slice.set_category(kOverheadCategory);
  const Argument thread{"thread", words[3]};
  if (words[3] != 0) slice.arguments = {&thread, 1};
  overhead_lane().add_apart(slice);
}

void CuptiDecoder::show_marker(uint32_t name, const Payload& words) {
  const auto text = [&](uint32_t id) { return id != 0 ? model_->strings.text(id) : ""; };
  markers_.add(words.low(0), words.high(0),
               {text(name), text(words.low(2)), to_ns(words[1]), words.high(2)});
}

void CuptiDecoder::finish(int64_t end_ns) {
  for (auto& [thread, open] : open_calls_) {
    while (!open.empty()) {
      if (open.back().is_shown) {
        thread->lane[open.back().slice].arguments.append({"unfinished", true});
        thread->lane.close(open.back().slice, end_ns);
      }
      open.pop_back();
    }
  }
  markers_.finish(end_ns);
  memory_.finish();
  for (auto& [number, one] : devices_) one->finish();
  const auto note = [&](std::string key, uint64_t count) {
    if (count > 0) {
      model_->notes.emplace_back(std::move(key), std::to_string(count), FactScope::kSum);
    }
  };
  note("cuda_records_dropped", dropped_);
  note("cuda_work_without_call", calls_.without_call());
  for (const auto& [kind, count] : unknown_) {
    note(fmt::format("cupti_unknown_records_of_kind_{}", kind), count);
  }
}

}  // namespace

std::unique_ptr<Decoder> make_decoder(Model& model) {
  return std::make_unique<CuptiDecoder>(model);
}

}  // namespace perseid::cupti
