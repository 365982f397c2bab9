// tests/run/perfetto/timeline_test.cpp: the real trace processor sees exactly what was recorded.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <limits>

#include "tests/run/perfetto/trace_query.h"
#include "tests/stream/fabricate.h"
#include "timeline/check/report.h"
#include "timeline/drawing/lanes.h"
#include "timeline/export/export.h"

namespace perseid::test {
namespace {

/// Exports the capture and asks; the first result is what was not taken.
std::vector<Rows> ask(CaptureBuilder& capture, std::vector<std::string> queries) {
  capture.write();
  const Result<ExportReport> report = export_capture(capture.path(), {});
  EXPECT_TRUE(report) << report.error();
  EXPECT_EQ(report->damages, 0u);
  const Result<CheckReport> checked = check_timeline(report->file);
  EXPECT_TRUE(checked) << checked.error();
  queries.insert(queries.begin(), kLossesQuery);
  TraceAnswer answer = query_trace(report->file, queries);
  EXPECT_EQ(answer.error, "");
  answer.results.resize(queries.size());
  EXPECT_EQ(answer.results[0], Rows{});
  answer.results.erase(answer.results.begin());
  return answer.results;
}

const std::string kSlices =
    "select t.name, s.ts, s.dur, s.name, s.depth, s.category from slice s "
    "join thread_track tt on s.track_id = tt.id join thread t using (utid) "
    "where t.name != 'Run' order by s.ts, s.depth";

TEST(Perfetto, SlicesThreadsCountersAndArgumentsAreExact) {
  CaptureBuilder capture;
  capture.topology = "perseid-topology 1 hwloc 2.9.0\npu 2 core 2 numa 1 package 0\n";
  capture.stream(2, 4250, "worker", 2)
      .begin(1'234'567, "tile", capture.argument("row", int64_t{-7}) + capture.argument("x", 0.1))
      .begin(1'234'568, "tile")
      .end(1'234'569, 1)
      .end(1'300'001, 0, capture.argument("ok", false));
  capture.stream(1, 4242)
      .phase(1000, "warm-up")
      .instant(1'000'000, "checkpoint", capture.argument("big", uint64_t{1} << 63))
      .counter(2'000'000, "ready", 3)
      .counter(2'500'000, "ready", -1.5)
      .lane_begin(3'000'000, "requests", 1, "get")
      .lane_begin(3'000'100, "requests", 2, "put")
      .lane_end(3'000'200, "requests", 1)
      .lane_end(3'000'300, "requests", 2)
      .phase(4'000'000, "");
  const auto results =
      ask(capture,
          {kSlices,
           "select t.name, t.tid, p.pid, p.name, t.is_main_thread, a.int_value from thread t "
           "join process p using (upid) join args a on t.arg_set_id = a.arg_set_id "
           "where a.key = 'thread_sort_index_hint' order by a.int_value",
           "select c.ts, c.value, t.name from counter c join counter_track t on c.track_id = t.id "
           "order by c.ts",
           "select s.name, a.key, a.display_value, a.value_type from slice s join args a using "
           "(arg_set_id) where a.key like 'args.%' and s.category = 'user' order by s.ts, a.key"});
  const std::string worker = "worker · core 2 · NUMA 1";
  EXPECT_EQ(results[0], (Rows{{"Phases", "1000", "3999000", "warm-up", "0", "user"},
                              {"solver", "1000000", "0", "checkpoint", "0", "user"},
                              {worker, "1234567", "65434", "tile", "0", "user"},
                              {worker, "1234568", "1", "tile", "1", "user"},
                              {"requests", "3000000", "200", "get", "0", "user"},
                              {"requests (2)", "3000100", "200", "put", "0", "user"}}));
  EXPECT_EQ(results[1], (Rows{{"Run", "1", "4242", "solver", "0", "1"},
                              {"Phases", "2", "4242", "solver", "0", "2"},
                              {"solver", "4242", "4242", "solver", "1", "3"},
                              {worker, "4250", "4242", "solver", "0", "4"},
                              {"requests", "3", "4242", "solver", "0", "5"},
                              {"requests (2)", "4", "4242", "solver", "0", "6"}}));
  EXPECT_EQ(results[2],
            (Rows{{"2000000", "3", "ready value"}, {"2500000", "-1.5", "ready value"}}));
  EXPECT_EQ(results[3], (Rows{{"checkpoint", "args.big", "9223372036854775808", "string"},
                              {"tile", "args.ok", "false", "bool"},
                              {"tile", "args.row", "-7", "int"},
                              {"tile", "args.x", "0.1", "real"}}));
}

TEST(Perfetto, TextsOfAllKindsArriveAndNumbersThatAreNoneBecomeText) {
  const std::string odd = "quote\" slash\\ new\nline tab\t bell\x07 é 日本 🚀 </script>";
  CaptureBuilder capture;
  capture.stream(1, 4242, "näme \"1\"")
      .instant(10, odd, capture.argument("ключ", odd))
      .instant(20, "bad \xff\xc0\xaf\xed\xa0\x80 bytes")
      .instant(30, "numbers",
               capture.argument("inf", std::numeric_limits<double>::infinity()) +
                   capture.argument("nan", std::numeric_limits<double>::quiet_NaN()) +
                   capture.argument("tiny", 1e-300) + capture.argument("huge", 1.5e300) +
                   capture.argument("min", std::numeric_limits<int64_t>::min()) +
                   capture.argument("max", uint64_t{9223372036854775807}) +
                   capture.pointer("where", 0xdeadbeefcafe))
      .instant(40, std::string(4000, 'x'))
      .instant(50, "nothing", capture.argument("only", ""));
  const auto results =
      ask(capture, {"select name from slice where category = 'user' order by ts",
                    "select a.key, a.display_value from slice s join args a using (arg_set_id) "
                    "where a.key like 'args.%' and s.category = 'user' order by s.ts, a.key",
                    "select name from thread where tid = 4242"});
  EXPECT_EQ(results[0], (Rows{{odd},
                              {"bad \uFFFD\uFFFD\uFFFD\uFFFD\uFFFD\uFFFD bytes"},
                              {"numbers"},
                              {std::string(4000, 'x')},
                              {"nothing"}}));
  EXPECT_EQ(results[1], (Rows{{"args.ключ", odd},
                              {"args.huge", "1.5e+300"},
                              {"args.inf", "inf"},
                              {"args.max", "9223372036854775807"},
                              {"args.min", "-9223372036854775808"},
                              {"args.nan", "nan"},
                              {"args.tiny", "1.0e-300"},
                              {"args.where", "0xdeadbeefcafe"},
                              {"args.only", ""}}));
  EXPECT_EQ(results[2], Rows{{"näme \"1\""}});
}

TEST(Perfetto, EveryArrowArrivesWhicheverSliceBeganFirst) {
  CaptureBuilder capture;
  capture.stream(1, 4242, "main")
      .begin(100, "send")
      .flow_out(110, 1)
      .end(120, 0)  // to a later slice
      .begin(200, "fan out")
      .flow_out(210, 2)
      .end(220, 0)  // to two slices
      .begin(300, "late source")
      .flow_out(310, 3)
      .end(320, 0)  // to one that began before it
      .begin(400, "outer")
      .begin(410, "inner")
      .flow_out(420, 4)
      .end(430, 1)
      .end(440, 0)
      .flow_out(500, ~uint64_t{0});  // outside of any range
  capture.stream(2, 4243, "worker")
      .begin(130, "receive")
      .flow_in(140, 1)
      .end(150, 0)
      .begin(230, "first")
      .flow_in(240, 2)
      .end(250, 0)
      .begin(260, "second")
      .begin(262, "child")
      .end(264, 1)
      .flow_in(265, 2)
      .end(270, 0)
      .begin(290, "early target")
      .begin(300, "child")
      .end(330, 1)
      .flow_in(340, 3)
      .end(350, 0)
      .begin(450, "last")
      .flow_in(455, 4)
      .end(460, 0)
      .flow_in(510, ~uint64_t{0});
  capture.stream(3, 4244, "same time").begin(600, "source").flow_out(605, 5).end(610, 0);
  capture.stream(4, 4245, "same time too").begin(600, "target").flow_in(606, 5).end(620, 0);
  const auto results =
      ask(capture, {"select o.name, i.name, p.name from flow f join slice o on f.slice_out = o.id "
                    "join slice i on f.slice_in = i.id left join slice p on i.parent_id = p.id "
                    "order by o.ts, i.ts"});
  EXPECT_EQ(results[0], (Rows{{"send", "receive", "null"},
                              {"fan out", "first", "null"},
                              {"fan out", "second", "null"},
                              {"late source", "flow", "early target"},
                              {"inner", "last", "null"},
                              {"flow", "flow", "null"},
                              {"source", "flow", "target"}}));
}

TEST(Perfetto, LossesAndOverlapsOfAllKindsNest) {
  CaptureBuilder capture;
  StreamBuilder& main = capture.stream(1, 4242, "main");
  main.begin(10, "a").begin(20, "b").lost(100, 3, 17, 50, 1).end(110, 2).end(120, 1).end(130, 0);
  constexpr int kDeep = 1200;
  for (int i = 0; i < kDeep; ++i) main.begin(1000 + i, "deep");
  for (int i = 0; i < kDeep; ++i) main.end(5000 + i, static_cast<uint32_t>(kDeep - 1 - i));
  for (uint64_t i = 0; i < 40; ++i) {
    main.lane_begin(10000 + static_cast<int64_t>(i), "lane", i + 1, "overlapping");
  }
  for (uint64_t i = 0; i < 40; ++i) {
    main.lane_end(20000 + static_cast<int64_t>(i * 7 % 40), "lane", i + 1);
  }
  const auto results = ask(
      capture, {"select count(*), max(depth) from slice where name = 'deep'",
                "select count(*), max(depth) from slice where name = 'overlapping'",
                "select s.name, ts, dur from slice s join thread_track tt on s.track_id = tt.id "
                "join thread t using (utid) where ts < 1000 and t.name != 'Run' "
                "order by ts, dur desc, s.name"});
  EXPECT_EQ(results[0], (Rows{{std::to_string(kDeep), std::to_string(Lane::kMaxDepth - 1)}}));
  EXPECT_EQ(results[1], (Rows{{"40", "0"}}));
  EXPECT_EQ(results[2], (Rows{{"a", "10", "120"},
                              {"b", "20", "30"},
                              {"(begin lost)", "100", "20"},
                              {"(begin lost)", "100", "10"},
                              {"17 events lost", "100", "0"}}));
}

TEST(Perfetto, ThreadsThatShareAnIdStayApart) {
  CaptureBuilder capture;
  capture.stream(5, 4242, "main").begin(10, "a").end(100, 0);
  capture.stream(2, 1, "first with this id").begin(20, "b").end(30, 0);
  capture.stream(3, 1, "second with this id").begin(25, "c").end(35, 0);
  capture.stream(4, 0, "no id").begin(40, "d").end(50, 0);
  const auto results =
      ask(capture, {kSlices, "select name from thread where is_main_thread and tid"});
  EXPECT_EQ(results[0], (Rows{{"main", "10", "90", "a", "0", "user"},
                              {"first with this id", "20", "10", "b", "0", "user"},
                              {"second with this id", "25", "10", "c", "0", "user"},
                              {"no id", "40", "10", "d", "0", "user"}}));
  EXPECT_EQ(results[1], (Rows{{"main"}}));
}

TEST(Perfetto, ALargeTimelineIsTakenWhole) {
  CaptureBuilder capture;
  constexpr int kSlicesPerThread = 30000;
  for (uint32_t s = 1; s <= 3; ++s) {
    StreamBuilder& stream = capture.stream(s, 4241 + s);
    for (int i = 0; i < kSlicesPerThread; ++i) {
      const int64_t t = 100 * int64_t{i} + int64_t{s};
      stream.begin(t, "tile", capture.argument("i", int64_t{i}));
      if (s == 1) stream.flow_out(t + 10, static_cast<uint64_t>(i));
      if (s == 2) stream.flow_in(t + 20, static_cast<uint64_t>(i));
      stream.end(t + 60, 0);
      if (i % 500 == 0) stream.cut();
    }
  }
  const auto results =
      ask(capture, {"select count(*), sum(dur) from slice where category = 'user'",
                    "select count(*) from flow",
                    "select count(*), sum(a.int_value) from slice join args a using (arg_set_id) "
                    "where a.key = 'args.i'"});
  EXPECT_EQ(results[0], (Rows{{"90000", "5400000"}}));
  EXPECT_EQ(results[1], (Rows{{"30000"}}));
  EXPECT_EQ(results[2], (Rows{{"90000", std::to_string(3ll * 30000 * 29999 / 2)}}));
}

TEST(Perfetto, ACaptureWithoutRecordsGivesAFileThatLoads) {
  CaptureBuilder capture;
  EXPECT_EQ(ask(capture, {"select count(*) from slice where category != 'perseid'"})[0],
            (Rows{{"0"}}));
}

}  // namespace
}  // namespace perseid::test
