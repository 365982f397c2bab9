// tests/run/perfetto/starpu_test.cpp: StarPU's tasks and arrows, as the real trace processor sees
// them.
#include <gtest/gtest.h>

#include "tests/run/perfetto/trace_query.h"
#include "tests/stream/starpu/starpu_capture.h"
#include "timeline/export/export.h"

namespace perseid::test {
namespace {

using events::kRead;
using events::kWrite;

TEST(PerfettoStarpu, TasksArrowsCountersAndRowsAreTaken) {
  StarpuCapture starpu(2, "lws");
  starpu.main()
      .named(30, events::kDataName, "A", {0xda})
      .submit_at(1000, 0xa, {.name = "potrf", .uses = {{0xda, kRead | kWrite}}})
      .submit_at(2000, 0xb, {.name = "trsm", .uses = {{0xda, kRead}}})
      .submit_at(3000, 0xc, {.name = "trsm", .uses = {{0xda, kRead}}})
      .submit_at(4000, 0xd, {.name = "last", .uses = {{0xda, kWrite}}})
      .wait(5000, events::WaitKind::kForAll);
  starpu.worker(0)
      .exec(6000, 0, 0xa)
      .exec_end(9000, 0, 0xa)
      .push(9100, 0xb)
      .push_end(9200, 0xb)
      .push(9300, 0xc)
      .push_end(9400, 0xc)
      .pop(9500, 0, 0xb)
      .pre_exec(11'000, 0, 0xb)
      .exec(11'000, 0, 0xb)
      .exec_end(20'000, 0, 0xb)
      .exec(30'000, 0, 0xd)
      .exec_end(31'000, 0, 0xd);
  starpu.worker(1).exec(12'000, 1, 0xc).exec_end(22'000, 1, 0xc);
  starpu.main().wait_end(32'000, events::WaitKind::kForAll);
  starpu.capture.write();
  const Result<ExportReport> report = export_capture(starpu.capture.path(), {});
  ASSERT_TRUE(report) << report.error();
  const TraceAnswer answer = query_trace(
      report->file,
      {kLossesQuery,
       "select o.name, i.name from flow f join slice o on f.slice_out = o.id "
       "join slice i on f.slice_in = i.id order by o.ts, o.name, i.ts",
       "select t.name, s.name, s.depth from slice s join thread_track tt on s.track_id = tt.id "
       "join thread t using (utid) where s.category = 'task' order by s.ts",
       "select t.name, max(c.value) from counter c join counter_track t on c.track_id = t.id "
       "group by t.name order by t.name",
       "select a.display_value from slice s join args a using (arg_set_id) where s.name = 'last' "
       "and a.key = 'args.data_0'"});
  ASSERT_EQ(answer.error, "");
  EXPECT_EQ(answer.results[0], Rows{});
  EXPECT_EQ(answer.results[1], (Rows{{"submit potrf", "potrf"},
                                     {"submit trsm", "trsm"},
                                     {"submit trsm", "trsm"},
                                     {"submit last", "last"},
                                     {"potrf", "trsm"},
                                     {"potrf", "trsm"},
                                     {"queued, later stolen", "trsm"},
                                     {"trsm", "last"},
                                     {"trsm", "last"}}));
  EXPECT_EQ(answer.results[2], (Rows{{"CPU 0", "potrf", "0"},
                                     {"CPU 0", "trsm", "0"},
                                     {"CPU 1", "trsm", "0"},
                                     {"CPU 0", "last", "0"}}));
  EXPECT_EQ(answer.results[3], (Rows{{"idle workers", "2"},
                                     {"ready tasks", "2"},
                                     {"running tasks", "2"},
                                     {"submitted tasks", "4"}}));
  EXPECT_EQ(answer.results[4], Rows{{"W A 64 B"}});
}

}  // namespace
}  // namespace perseid::test
