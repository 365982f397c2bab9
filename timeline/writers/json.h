// timeline/writers/json.h: the Chrome trace event format, as Perfetto reads it.
#pragma once

#include <cstdint>
#include <vector>

#include "timeline/model/sink.h"
#include "timeline/writers/byte_buffer.h"
#include "timeline/writers/output_file.h"
#include "timeline/writers/thread_ids.h"

namespace perseid {

/// {"traceEvents":[...],"otherData":{facts}}. Each rule it keeps is one that the real trace
/// processor enforces by dropping events; tests/run/perfetto checks them with it.
class JsonWriter final : public TraceSink {
 public:
  explicit JsonWriter(OutputFile& file);

  void process(const Process& process) override;
  void track(const Track& track) override;
  void slice(const Slice& slice) override;
  void counter(TrackId track, int64_t at_ns, double value) override;
  void finish(const RunFacts& facts) override;

 private:
  void begin_event();
  void write_place(TrackId track, int64_t at_ns);
  void write_arguments(std::span<const Argument> arguments);
  void write_argument(const Argument& argument);
  void write_flow(const Slice& slice, const FlowEnd& flow);
  void write_metadata(const char* what, uint32_t tid, std::string_view name);
  void write_order(const char* what, uint32_t tid, uint32_t order);

  ByteBuffer out_;
  bool is_first_ = true;
  Process process_;
  std::vector<Track> tracks_;  // by id - 1; the latest name of each
  ThreadIds thread_ids_;
};

}  // namespace perseid
