// opencl/decode/decoder.cpp: calls on the threads that made them, commands on the rows of their
// queues.
#include "opencl/decode/decoder.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>

#include "capture/payload.h"
#include "opencl/decode/device_clock.h"
#include "opencl/events.h"
#include "timeline/drawing/device_calls.h"

namespace perseid::opencl {
namespace {

struct CommandName {
  std::string_view call;
  std::string_view work;
  Category category;
};

/// In the order of Command.
constexpr CommandName kNames[] = {
    {"clEnqueueReadBuffer", "read buffer", kCopyCategory},
    {"clEnqueueWriteBuffer", "write buffer", kCopyCategory},
    {"clEnqueueCopyBuffer", "copy buffer", kCopyCategory},
    {"clEnqueueFillBuffer", "fill buffer", kFillCategory},
    {"clEnqueueReadBufferRect", "read rectangle", kCopyCategory},
    {"clEnqueueWriteBufferRect", "write rectangle", kCopyCategory},
    {"clEnqueueCopyBufferRect", "copy rectangle", kCopyCategory},
    {"clEnqueueReadImage", "read image", kCopyCategory},
    {"clEnqueueWriteImage", "write image", kCopyCategory},
    {"clEnqueueCopyImage", "copy image", kCopyCategory},
    {"clEnqueueFillImage", "fill image", kFillCategory},
    {"clEnqueueCopyImageToBuffer", "copy image to buffer", kCopyCategory},
    {"clEnqueueCopyBufferToImage", "copy buffer to image", kCopyCategory},
    {"clEnqueueMapBuffer", "map buffer", kCopyCategory},
    {"clEnqueueMapImage", "map image", kCopyCategory},
    {"clEnqueueUnmapMemObject", "unmap", kCopyCategory},
    {"clEnqueueMigrateMemObjects", "migrate", kCopyCategory},
    {"clEnqueueNDRangeKernel", "kernel", kKernelCategory},
    {"clEnqueueTask", "kernel", kKernelCategory},
    {"clEnqueueNativeKernel", "native kernel", kKernelCategory},
    {"clEnqueueMarker", "marker", kDeviceCategory},
    {"clEnqueueBarrier", "barrier", kDeviceCategory},
    {"clEnqueueSVMMemcpy", "copy shared memory", kCopyCategory},
    {"clEnqueueSVMMemFill", "fill shared memory", kFillCategory},
    {"clEnqueueSVMMap", "map shared memory", kCopyCategory},
    {"clEnqueueSVMUnmap", "unmap shared memory", kCopyCategory},
};
constexpr CommandName kUnknown{"clEnqueue", "command", kDeviceCategory};

const CommandName& name_of(uint32_t command) {
  return command < std::size(kNames) ? kNames[command] : kUnknown;
}

std::string_view wait_name(uint32_t wait) {
  return static_cast<Wait>(wait) == Wait::kForEvents ? "clWaitForEvents" : "clFinish";
}

/// "256 x 16", from the word `first` on.
std::string sizes(const Payload& words, size_t first, size_t dimensions) {
  std::string text;
  for (size_t i = 0; i < dimensions; ++i) {
    text += fmt::format("{}{}", text.empty() ? "" : " x ", words[first + i]);
  }
  return text;
}

struct DeviceState {
  std::unique_ptr<Device> device;
  DeviceClock clock;
};

struct Queue {
  uint32_t device = 0;
};

/// Called, and not known to be over.
struct OpenCommand {
  std::string_view name;
  Category category;
  uint32_t queue = kUnknownQueue;
  int64_t call_begin_ns = 0;
  int64_t call_end_ns = 0;
  ArgumentList arguments;
  uint64_t bytes = 0;
};

class OpenclDecoder final : public Decoder {
 public:
  explicit OpenclDecoder(Model& model) : model_(&model), calls_(model) {}

  void record(Thread& thread, int64_t at_ns, const RecordHeader& header,
              std::span<const uint64_t> given) override {
    const Payload words(given);
    switch (static_cast<Event>(header.kind & 0xff)) {
      case kDevice:
        return device(header.arg).device->set_name(model_->strings.text(words.low(0)));
      case kQueue:
        return add_queue(header.arg, words);
      case kCommand:
        return show_command(thread, at_ns, header.arg, words);
      case kKernel:
        return show_kernel(thread, at_ns, header.arg, words);
      case kDone:
        return finish_command(header.arg, words);
      case kWait:
        return show_wait(thread, at_ns, header.arg, words);
    }
  }

  void finish(int64_t) override {
    for (auto& [number, state] : devices_) state.device->finish();
    if (!open_.empty()) {
      model_->notes.emplace_back("opencl_commands_without_times", std::to_string(open_.size()),
                                 FactScope::kSum);
    }
  }

 private:
  DeviceState& device(uint32_t number) {
    DeviceState& state = devices_[number];
    if (!state.device) {
      state.device =
          std::make_unique<Device>(*model_, fmt::format("OpenCL device {}", number), number);
    }
    return state;
  }

  void add_queue(uint32_t number, const Payload& words) {
    const auto on = words.low(0);
    queues_[number] = {on};
    device(on).device->name_row(
        number, fmt::format("queue {}{}", number, words[1] & kOutOfOrder ? " (out of order)" : ""));
  }

  void show_command(Thread& thread, int64_t at_ns, uint32_t arg, const Payload& words) {
    const CommandName& name = name_of(arg & 0xff);
    const auto result = static_cast<int16_t>(arg >> 16);
    OpenCommand command;
    command.name = name.work;
    command.category = name.category;
    command.queue = words.low(2);
    command.bytes = words[3];
    if (command.bytes != 0) command.arguments.append({"bytes", command.bytes});
    show_call(thread, at_ns, name.call, result, words, std::move(command));
  }

  void show_kernel(Thread& thread, int64_t at_ns, uint32_t name, const Payload& words) {
    OpenCommand command;
    command.name = name != 0 ? model_->strings.text(name) : "kernel";
    command.category = kKernelCategory;
    command.queue = words.low(2);
    const size_t dimensions = std::min<size_t>(words[3], 3);
    command.arguments.append({"global_size", std::string_view(sizes(words, 4, dimensions))});
    if (words[7] != 0) {
      command.arguments.append({"local_size", std::string_view(sizes(words, 7, dimensions))});
    }
    show_call(thread, at_ns, "clEnqueueNDRangeKernel", static_cast<int32_t>(words.high(2)), words,
              std::move(command));
  }

  void show_call(Thread& thread, int64_t at_ns, std::string_view call, int32_t result,
                 const Payload& words, OpenCommand command) {
    const Lane::Handle slice =
        thread.lane.open(model_->timebase.to_ns(words[1]), call, kCallCategory);
    ArgumentList& arguments = thread.lane[slice].arguments;
    arguments.append({"command", command.name});
    for (const Argument& argument : command.arguments.items()) arguments.append(argument);
    if (result != 0) arguments.append({"error", int64_t{result}});
    const uint64_t id = result == 0 ? words[0] : 0;
    calls_.begin(id, thread, slice);
    command.call_begin_ns = thread.lane[slice].begin_ns;
    command.call_end_ns = at_ns;
    thread.lane.close(slice, at_ns);
    if (id == 0) return;
    // Their ends never came: the program never waited, or its queue cannot measure times.
    if (open_.size() >= DeviceCalls::kMaxKept) open_.erase(open_.begin());
    open_.insert_or_assign(id, std::move(command));
  }

  void finish_command(uint32_t status, const Payload& words) {
    const auto found = open_.find(words[0]);
    if (found == open_.end()) {
      ++model_->orphan_ends;
      return;
    }
    OpenCommand command = std::move(found->second);
    open_.erase(found);
    const auto queue = queues_.find(command.queue);
    if (queue == queues_.end() || words[1] == 0) return;
    DeviceState& on = device(queue->second.device);
    on.clock.add_bounds(command.call_begin_ns, command.call_end_ns, words[1]);
    auto work = std::make_unique<DeviceWork>();
    work->row = command.queue;
    // A device may skip steps for a command without work.
    const uint64_t started = words[3] != 0 ? words[3] : words[2] != 0 ? words[2] : words[1];
    const uint64_t ended = std::max(started, words[4]);
    work->begin_ns = on.clock.to_ns(started);
    work->end_ns = on.clock.to_ns(ended);
    work->name = command.name;
    work->category = command.category;
    work->arguments = std::move(command.arguments);
    if (command.bytes != 0 && ended > started) {
      work->arguments.append({"gigabytes_per_second", static_cast<double>(command.bytes) /
                                                          static_cast<double>(ended - started)});
    }
    work->arguments.append({"waited_ns", static_cast<int64_t>(started - words[1])});
    if (static_cast<int32_t>(status) < 0) {
      work->arguments.append({"error", int64_t{static_cast<int32_t>(status)}});
    }
    calls_.attribute(words[0], *work);
    on.device->add(std::move(work));
  }

  void show_wait(Thread& thread, int64_t at_ns, uint32_t wait, const Payload& words) {
    const Lane::Handle slice =
        thread.lane.open(model_->timebase.to_ns(words[0]), wait_name(wait), kDeviceWaitCategory);
    if (words[1] != kUnknownQueue) thread.lane[slice].arguments.append({"queue", words[1]});
    calls_.begin(0, thread, slice);
    thread.lane.close(slice, at_ns);
  }

  Model* model_;
  DeviceCalls calls_;
  std::map<uint32_t, DeviceState> devices_;
  std::unordered_map<uint32_t, Queue> queues_;
  std::unordered_map<uint64_t, OpenCommand> open_;
};

}  // namespace

std::unique_ptr<Decoder> make_decoder(Model& model) {
  return std::make_unique<OpenclDecoder>(model);
}

}  // namespace perseid::opencl
