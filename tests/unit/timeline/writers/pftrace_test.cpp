// tests/unit/timeline/writers/pftrace_test.cpp: the packets of a timeline, decoded by libprotobuf.
#include "timeline/writers/pftrace.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "tests/unit/timeline/writers/memory_sink.h"
#include "timeline/check/proto_reader.h"
#include "writers/perfetto_subset.pb.h"

namespace perseid {
namespace {

Track thread(TrackId id, uint32_t pid, uint32_t tid, std::string name) {
  Track track;
  track.id = id;
  track.pid = pid;
  track.tid = tid;
  track.order = id;
  track.name = std::move(name);
  return track;
}

Slice slice(TrackId track, int64_t begin_ns, int64_t end_ns, std::string_view name) {
  Slice made;
  made.track = track;
  made.begin_ns = begin_ns;
  made.end_ns = end_ns;
  made.name = name;
  made.category = "test";
  return made;
}

/// No byte that the subset does not know, at any depth.
void expect_known(const google::protobuf::Message& message) {
  const auto* const reflection = message.GetReflection();
  EXPECT_EQ(reflection->GetUnknownFields(message).field_count(), 0) << message.ShortDebugString();
  std::vector<const google::protobuf::FieldDescriptor*> fields;
  reflection->ListFields(message, &fields);
  for (const auto* const field : fields) {
    if (field->cpp_type() != google::protobuf::FieldDescriptor::CPPTYPE_MESSAGE) continue;
    if (!field->is_repeated()) {
      expect_known(reflection->GetMessage(message, field));
      continue;
    }
    for (int i = 0; i < reflection->FieldSize(message, field); ++i) {
      expect_known(reflection->GetRepeatedMessage(message, field, i));
    }
  }
}

subset::Trace read(const std::string& bytes) {
  subset::Trace trace;
  EXPECT_TRUE(trace.ParseFromString(bytes));
  expect_known(trace);
  return trace;
}

/// Checks what a reader needs: state before use, names before events. Returns the events.
std::vector<subset::TrackEvent> events_of(const subset::Trace& trace) {
  struct State {
    std::set<uint64_t> names;
    uint64_t track = 0;
    bool is_cleared = false;
  };
  std::map<uint32_t, State> sequences;
  std::set<uint64_t> tracks;
  std::vector<subset::TrackEvent> events;
  for (const subset::TracePacket& packet : trace.packet()) {
    State& state = sequences[packet.trusted_packet_sequence_id()];
    if (packet.sequence_flags() == 1) state = {{}, 0, true};
    if (packet.has_trace_packet_defaults()) {
      state.track = packet.trace_packet_defaults().track_event_defaults().track_uuid();
    }
    for (const auto& name : packet.interned_data().event_names()) state.names.insert(name.iid());
    if (packet.has_track_descriptor()) tracks.insert(packet.track_descriptor().uuid());
    if (!packet.has_track_event()) continue;
    EXPECT_TRUE(state.is_cleared);
    EXPECT_TRUE(tracks.contains(state.track));
    const subset::TrackEvent& event = packet.track_event();
    EXPECT_TRUE(!event.has_name_iid() || state.names.contains(event.name_iid()));
    events.push_back(event);
  }
  return events;
}

TEST(Pftrace, EverythingIsDeclaredBeforeItIsUsedAndNowAndThenAgain) {
  test::MemorySink sink;
  PftraceWriter writer(sink);
  writer.process({4242, "solver", {"host node0", "rank 3"}, 7, 1'000'000'000, 5'000});
  writer.track(thread(1, 4242, 4242, "main"));
  Track counter = thread(2, 4242, 0, "memory");
  counter.kind = TrackKind::kCounter;
  counter.group = TrackGroup::kCounters;
  counter.unit = "bytes";
  writer.track(counter);
  constexpr int kSlices = PftraceWriter::kPacketsPerState;
  for (int i = 0; i < kSlices; ++i) writer.slice(slice(1, 10 * i, 10 * i + 5, "tile"));
  writer.counter(2, 17, 1e9);
  writer.counter(2, 18, 0.25);
  writer.finish({});
  EXPECT_TRUE(sink.is_finished);
  EXPECT_EQ(writer.bytes(), sink.bytes.size());
  const subset::Trace trace = read(sink.bytes);
  EXPECT_EQ(events_of(trace).size(), 2u * kSlices + 2);
  int states = 0;
  for (const subset::TracePacket& packet : trace.packet()) {
    states +=
        packet.sequence_flags() == 1 && packet.trace_packet_defaults().has_track_event_defaults();
    if (packet.track_descriptor().has_process()) {
      EXPECT_EQ(packet.track_descriptor().process().process_labels(1), "rank 3");
    }
    if (packet.track_descriptor().has_counter()) {
      EXPECT_EQ(packet.track_descriptor().counter().unit(), 3);
    }
  }
  EXPECT_EQ(states, 3);  // of the thread twice, of the counter once
}

TEST(Pftrace, AFileThatIsCutShortIsSoundUpToTheCut) {
  test::MemorySink sink;
  PftraceWriter writer(sink);
  writer.process({1, "p", {}, 7, 0, 0});
  writer.track(thread(1, 1, 1, "main"));
  for (int i = 0; i < 20; ++i) writer.slice(slice(1, 10 * i, 10 * i + 5, i % 2 ? "a" : "b"));
  writer.finish({});
  size_t most = 0;
  for (size_t cut = 0; cut <= sink.bytes.size(); ++cut) {
    // The reader drops a last packet that is not whole.
    std::string whole;
    ProtoReader packets(std::string_view(sink.bytes).substr(0, cut));
    while (packets.next()) whole = sink.bytes.substr(0, cut - packets.left());
    const size_t events = events_of(read(whole)).size();
    EXPECT_GE(events, most);
    most = events;
  }
  EXPECT_EQ(most, 40u);
}

TEST(Pftrace, FilesOfTwoProcessesShareNoNumber) {
  std::set<uint64_t> uuids, flows;
  std::set<uint32_t> sequences;
  size_t packets_with_uuid = 0;
  for (const uint64_t identity : {7u, 8u}) {
    test::MemorySink sink;
    PftraceWriter writer(sink);
    writer.process({4242, "p", {}, identity, 1'000'000'000, 5'000});
    for (TrackId id = 1; id <= 50; ++id) {
      writer.track(thread(id, 4242, 100 + id, "t"));
      Slice made = slice(id, 10, 20, "a");
      const FlowEnd out{id, true, 10, 10};
      made.flows = {&out, 1};
      writer.slice(made);
    }
    writer.finish({});
    std::set<uint32_t> own;
    const subset::Trace trace = read(sink.bytes);
    for (const subset::TracePacket& packet : trace.packet()) {
      own.insert(packet.trusted_packet_sequence_id());
      for (const uint64_t flow : packet.track_event().flow_ids()) {
        EXPECT_TRUE(flows.insert(flow).second);
      }
      if (!packet.has_track_descriptor() || packet.track_descriptor().uuid() == 0) continue;
      ++packets_with_uuid;
      EXPECT_TRUE(uuids.insert(packet.track_descriptor().uuid()).second);
    }
    EXPECT_EQ(own.size(), 51u);
    for (const uint32_t sequence : own) EXPECT_TRUE(sequences.insert(sequence).second);
  }
  EXPECT_EQ(packets_with_uuid, 102u);
  EXPECT_EQ(flows.size(), 100u);
}

TEST(Pftrace, TextsAreRepairedAndLongOnesKept) {
  test::MemorySink sink;
  PftraceWriter writer(sink);
  writer.process({1, "p\xff", {}, 7, 0, 0});
  writer.track(thread(1, 1, 1, "t\xff"));
  const std::string large(300'000, 'y');
  const Argument arguments[] = {{"key\xff", std::string_view("bad \xff")},
                                {"large", std::string_view(large)}};
  Slice made = slice(1, 0, 5, "n\xff");
  made.arguments = arguments;
  writer.slice(made);
  writer.finish({});
  const auto events = events_of(read(sink.bytes));  // invalid UTF-8 would be no string
  ASSERT_EQ(events.size(), 2u);
  EXPECT_EQ(events[0].debug_annotations(0).string_value(), "bad \uFFFD");
  EXPECT_EQ(events[0].debug_annotations(1).string_value(), large);
}

TEST(Pftrace, MoreNamesThanCanBeNumberedAreWrittenOut) {
  test::MemorySink sink;
  PftraceWriter writer(sink);
  writer.process({1, "p", {}, 7, 0, 0});
  writer.track(thread(1, 1, 1, "main"));
  constexpr uint32_t kNames = NameTable::kMaxNames + 10;
  for (uint32_t i = 0; i < kNames; ++i) {
    const std::string name = "task " + std::to_string(i);
    writer.slice(slice(1, 10 * int64_t{i}, 10 * int64_t{i} + 5, name));
  }
  writer.finish({});
  size_t inline_names = 0;
  for (const subset::TrackEvent& event : events_of(read(sink.bytes))) {
    inline_names += event.has_name();
    EXPECT_EQ(event.has_name() || event.has_name_iid(), event.type() == 1);
  }
  // Two numbers are for the category and for the colour of waits.
  EXPECT_EQ(inline_names, 12u);
}

/// What each slice is coloured by, where that is not its name.
std::vector<std::string> colours_in(const subset::Trace& trace) {
  std::map<uint32_t, std::map<uint64_t, std::string>> known;  // by sequence
  std::vector<std::string> colours;
  for (const subset::TracePacket& packet : trace.packet()) {
    auto& texts = known[packet.trusted_packet_sequence_id()];
    if (packet.sequence_flags() == 1) texts.clear();
    for (const auto& text : packet.interned_data().correlation_id_str()) {
      texts[text.iid()] = text.name();
    }
    const subset::TrackEvent& event = packet.track_event();
    if (event.type() != 1) continue;
    colours.push_back(event.has_correlation_id_str_iid() ? texts.at(event.correlation_id_str_iid())
                                                         : event.correlation_id_str());
  }
  return colours;
}

TEST(Pftrace, TasksHaveTheColourOfTheirCodeletAndWaitsAQuietOne) {
  // The numbers of names depend on their order, what a reader makes the colour from must not.
  for (const bool has_names_before : {false, true}) {
    test::MemorySink sink;
    PftraceWriter writer(sink);
    writer.process({1, "p", {}, 7, 0, 0});
    std::vector<std::string> expected;
    for (const TrackId id : {1u, 2u}) {
      writer.track(thread(id, 1, id, "t"));
      if (has_names_before) {
        writer.slice(slice(id, 0, 1, "other"));
        expected.push_back("");
      }
      for (const char* const name : {"gemm 1 of mine", "gemm", "last"}) {
        Slice task = slice(id, 10, 20, name);
        task.colour = "gemm";
        writer.slice(task);
      }
      for (const SliceRole role : {SliceRole::kIdle, SliceRole::kWait, SliceRole::kWork}) {
        Slice wait = slice(id, 30, 40, "barrier");
        wait.role = role;
        writer.slice(wait);
      }
      for (const char* const colour :
           {"gemm", "", "gemm", "waiting or idle", "waiting or idle", ""})
        expected.push_back(colour);
    }
    writer.finish({});
    EXPECT_EQ(colours_in(read(sink.bytes)), expected);
  }
}

TEST(Pftrace, ProcessesStandInTheOrderInWhichTheyWereAnnounced) {
  test::MemorySink sink;
  PftraceWriter writer(sink);
  constexpr uint32_t kProcesses = 20;
  for (uint32_t pid = 1; pid <= kProcesses; ++pid) writer.process({pid, "p", {}, pid, 0, 0});
  writer.finish({});
  std::map<int32_t, int32_t> pids;  // by rank
  const subset::Trace trace = read(sink.bytes);
  for (const subset::TracePacket& packet : trace.packet()) {
    const subset::TrackDescriptor& track = packet.track_descriptor();
    if (track.has_process()) pids[track.sibling_order_rank()] = track.process().pid();
  }
  ASSERT_EQ(pids.size(), kProcesses);
  for (const auto& [rank, pid] : pids) EXPECT_EQ(pid, rank + 1);
}

}  // namespace
}  // namespace perseid
