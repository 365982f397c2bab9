// tests/stream/starpu/starpu_capture.h: captures of StarPU programs that never ran.
#pragma once

#include <cstdint>
#include <deque>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "starpu_hooks/events.h"
#include "tests/stream/fabricate.h"
#include "tests/stream/recording_sink.h"

namespace perseid::test {

namespace events = perseid::starpu;

struct Use {
  uint64_t handle;
  uint32_t mode;
  uint64_t bytes = 64;
};

struct Submitted {
  std::string_view name = "";
  uint64_t codelet = 0xc0de;
  int32_t priority = 0;
  uint32_t context = 0;
  uint32_t flags = 0;
  uint64_t tag = 0;
  double flops = 0;
  std::vector<Use> uses = {};
};

struct Executed {
  uint64_t function = 0xf00;
  uint32_t implementation = 0;
  uint32_t flags = 0;
  int32_t combined_worker = -1;
  uint32_t size = 1;
  double predicted_us = std::numeric_limits<double>::quiet_NaN();
  double predicted_transfer_us = std::numeric_limits<double>::quiet_NaN();
  uint64_t footprint = 0;
};

/// One thread that calls StarPU or works for it. Times of one thread must not fall.
class StarpuThread {
 public:
  StarpuThread(CaptureBuilder& capture, StreamBuilder& stream)
      : capture_(&capture), stream_(&stream) {}

  StarpuThread& record(int64_t at_ns, events::Event event, uint32_t arg, const Words& words = {});
  StarpuThread& named(int64_t at_ns, events::Event event, std::string_view name,
                      const Words& words = {});

  StarpuThread& submit(int64_t at_ns, uint64_t task, const Submitted& what = {});
  StarpuThread& submit_end(int64_t at_ns, uint64_t task, int32_t result = 0);
  /// Both, ten nanoseconds apart.
  StarpuThread& submit_at(int64_t at_ns, uint64_t task, const Submitted& what = {});
  StarpuThread& wait(int64_t at_ns, events::WaitKind kind, uint64_t what = 0, uint64_t mode = 0);
  StarpuThread& wait_end(int64_t at_ns, events::WaitKind kind, int32_t result = 0);

  StarpuThread& push(int64_t at_ns, uint64_t task, uint32_t context = 0);
  StarpuThread& push_end(int64_t at_ns, uint64_t task);
  StarpuThread& pop(int64_t at_ns, uint32_t worker, uint64_t task);
  StarpuThread& pre_exec(int64_t at_ns, uint32_t worker, uint64_t task);
  StarpuThread& exec(int64_t at_ns, uint32_t worker, uint64_t task, const Executed& how = {});
  StarpuThread& exec_end(int64_t at_ns, uint32_t worker, uint64_t task);
  StarpuThread& post_exec(int64_t at_ns, uint32_t worker, uint64_t task);
  StarpuThread& clean(int64_t at_ns, uint64_t task);

  StreamBuilder& stream() { return *stream_; }

 private:
  CaptureBuilder* capture_;
  StreamBuilder* stream_;
};

class StarpuCapture {
 public:
  /// A main thread, and StarPU started on it at 10..20 ns with CPU workers 0, 1, ...
  explicit StarpuCapture(uint32_t workers = 2, std::string_view policy = "lws");

  /// Starts StarPU (again) on the main thread. Its workers' threads are new.
  void start(int64_t at_ns, uint32_t workers, std::string_view policy);
  StarpuThread& main() { return *main_; }
  /// The thread of a worker of the latest start.
  StarpuThread& worker(uint32_t id) { return *workers_.at(id); }
  StarpuThread& thread(std::string_view name);
  uint32_t string(std::string_view text) { return capture.string(text); }

  Reading read(uint64_t dependency_arrows = DependencyArrows::kDefaultLimit);

  CaptureBuilder capture;

 private:
  std::deque<StarpuThread> threads_;
  StarpuThread* main_;
  std::vector<StarpuThread*> workers_;
  uint32_t streams_ = 0;
};

using Lines = std::vector<std::string>;

/// Lines of one track without their arguments: "100..200 potrf <-1".
Lines shown_on(const Reading& reading, std::string_view track);
/// The value of an argument of the first slice or instant of that name, "" if there is none.
std::string argument_of(const Reading& reading, std::string_view name, std::string_view key);
/// Arrows as "source > target", by the names of their slices, sorted.
Lines arrows(const Reading& reading);
/// Samples of a counter: "@100 = 3".
Lines samples(const Reading& reading, std::string_view counter);

}  // namespace perseid::test
