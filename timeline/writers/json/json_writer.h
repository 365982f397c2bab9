// timeline/writers/json/json_writer.h: the Chrome trace event format, as Perfetto reads it.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "timeline/writers/byte_buffer.h"
#include "timeline/writers/json/fine_order.h"
#include "timeline/writers/json/flow_sources.h"
#include "timeline/writers/json/thread_ids.h"
#include "timeline/writers/json/tie_order.h"
#include "timeline/writers/name_table.h"
#include "timeline/writers/writer.h"

namespace perseid {

/// {"traceEvents":[...],"displayTimeUnit":"ns","otherData":{facts},"perseid_report":{...}}. Each
/// rule it keeps is one that a reader enforces by dropping or misplacing events; tests/run/perfetto
/// and tests/run/viewers check them with the real ones. Takes several processes.
class JsonWriter final : public TimelineWriter {
 public:
  explicit JsonWriter(ByteSink& sink);

  void process(const Process& process) override;
  void track(const Track& track) override;
  void slice(const Slice& slice) override;
  void counter(TrackId track, int64_t at_ns, double value) override;
  void finish(const RunFacts& facts) override;
  uint64_t bytes() const noexcept override { return out_.total_bytes(); }
  void report(std::string_view json) override { report_ = json; }

 private:
  struct ProcessIds {
    Process process;
    ThreadIds thread_ids;
  };
  struct Row {
    Track track;
    std::string place;  // ,"pid":1,"tid":2,"ts":
    TieOrder ties;
    FineOrder fine;
    bool is_innermost = false;  // nothing begins with the slice that is being written
  };
  enum class Form : uint8_t { kComplete, kBegin, kInstant };

  ProcessIds& ids_of(uint32_t pid);
  Row& ready(TrackId track);
  void write(const Slice& slice);
  void write_held(Row& row, const Slice& slice, FinePlace fine);
  void write_slice(ByteBuffer& to, const Row& row, const Slice& slice, FinePlace fine, Form form);
  std::string print_flows(const Row& row, const Slice& slice, FinePlace fine);
  std::string print_whole(const Row& row, const Slice& slice, FinePlace fine,
                          std::string_view flows, const TieOrder::Released& released);
  std::string print_apart(const Row& row, const Slice& slice, FinePlace fine,
                          std::string_view flows, const TieOrder::Released& released);
  void write_name(ByteBuffer& to, std::string_view text);
  void write_arguments(ByteBuffer& to, std::span<const Argument> arguments);
  void write_flows(ByteBuffer& to, const Row& row, const Slice& slice, FinePlace fine);
  void write_flow(ByteBuffer& to, bool is_start, std::string_view place, int64_t at_ns,
                  int hundredths, uint64_t id);
  void write_metadata(const char* what, uint32_t pid, uint32_t tid, std::string_view name);
  void write_order(const char* what, uint32_t pid, uint32_t tid, uint32_t order);
  void write_facts(const RunFacts& facts);

  ByteBuffer out_;
  ByteBuffer piece_;  // what may have to be held back
  ByteSink* sink_;
  std::deque<ProcessIds> processes_;
  std::unordered_map<uint32_t, ProcessIds*> by_pid_;
  std::deque<Row> rows_;  // by track id - 1
  FlowSources sources_;
  NameTable names_;
  std::vector<std::string> escaped_;  // by number
  std::string report_;                // JSON; "": none
};

}  // namespace perseid
