// timeline/walk/core_decoder.cpp: pauses for flushing, losses, and CPU times of threads.
#include "timeline/walk/core_decoder.h"

#include <fmt/format.h>

#include <algorithm>

#include "capture/core_events.h"

namespace perseid::core {
namespace {

class CoreDecoder final : public Decoder {
 public:
  explicit CoreDecoder(Model& model) : model_(&model) {}

  void record(Thread& thread, int64_t at_ns, const RecordHeader& header,
              std::span<const uint64_t> words) override {
    switch (header.kind & 0xff) {
      case kSelfFlush:
        return show_flush(thread, at_ns, header.arg, words);
      case kLost:
        return show_loss(thread, at_ns, header.arg, words);
      case kCpuTimes:
        return add_cpu_times(at_ns, words);
      default:
        return;
    }
  }

  void finish(int64_t) override {}

 private:
  void show_flush(Thread& thread, int64_t at_ns, uint32_t bytes, std::span<const uint64_t> words) {
    const int64_t begin_ns = words.empty() ? at_ns : model_->timebase.to_ns(words[0]);
    const Argument argument{"bytes", uint64_t{bytes}};
    thread.lane.add_finished(std::min(begin_ns, at_ns), at_ns, "perseid: flush", kOwnCategory,
                             {&argument, 1});
  }

  void show_loss(Thread& thread, int64_t at_ns, uint32_t depth, std::span<const uint64_t> words) {
    if (words.size() < 3) return;
    const uint64_t count = words[0];
    const int64_t first_ns = std::min(model_->timebase.to_ns(words[1]), at_ns);
    thread.lost += count;
    thread.ranges.repair(first_ns, at_ns, static_cast<size_t>(words[2]), depth,
                         count > 0 ? kLostHole : kPausedHole);
    if (count == 0) return;  // ranges began or ended while recording was paused
    const std::string name = fmt::format("{} events lost", count);
    const Argument arguments[] = {{"lost", count}, {"over_ns", at_ns - first_ns}};
    thread.lane.add_instant(at_ns, name, kOwnCategory, arguments);
  }

  /// Streams that have no other record in the capture are no threads of it.
  void add_cpu_times(int64_t at_ns, std::span<const uint64_t> words) {
    for (size_t i = 0; i + 1 < words.size(); i += 2) {
      const ThreadId thread = model_->threads.of_stream(words[i]);
      if (thread == 0) continue;
      const uint64_t cpu_ns = std::min<uint64_t>(words[i + 1], INT64_MAX);
      model_->rows.add(CpuTimeRow{at_ns, thread, static_cast<int64_t>(cpu_ns)});
    }
  }

  Model* model_;
};

}  // namespace

std::unique_ptr<Decoder> make_decoder(Model& model) { return std::make_unique<CoreDecoder>(model); }

}  // namespace perseid::core
