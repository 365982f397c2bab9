// tests/run/starpu/timeline_test.cpp: timelines of real programs, as the real trace processor reads
// them.
#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <regex>

#include "tests/run/perfetto/trace_query.h"
#include "tests/run/starpu/traced_run.h"

namespace perseid::starpu {
namespace {

using test::Row;
using test::Rows;

constexpr char kTimelineOnly[] = "out=timeline.json,quiet=1";

const std::string kArrowsQuery =
    "select o.name, i.name, count(*) from flow f join slice o on f.slice_out = o.id "
    "join slice i on f.slice_in = i.id group by 1, 2";

/// Rows of three columns: two texts and how often they occur.
std::map<std::pair<std::string, std::string>, int> counts(const Rows& rows) {
  std::map<std::pair<std::string, std::string>, int> found;
  for (const Row& row : rows) found[{row.at(0), row.at(1)}] = std::stoi(row.at(2));
  return found;
}

/// Runs the program with two CPU workers, leaving timeline.json.
host::Ending run_for_timeline(host::Sandbox& sandbox, Run what) {
  what.settings = kTimelineOnly;
  what.environment.emplace_back("STARPU_NCPU", "2");
  return sandbox.run(launch_of(what));
}

/// Asks about the timeline of a run. One result per query.
std::vector<Rows> ask(const Run& what, std::vector<std::string> queries) {
  host::Sandbox sandbox;
  const host::Ending ending = run_for_timeline(sandbox, what);
  EXPECT_TRUE(ending.is_success()) << ending.describe();
  queries.push_back(test::kLossesQuery);
  test::TraceAnswer answer = test::query_trace(sandbox.path("timeline.json"), queries);
  EXPECT_EQ(answer.error, "");
  if (answer.results.size() != queries.size()) return std::vector<Rows>(queries.size());
  EXPECT_EQ(answer.results.back(), Rows{});
  return answer.results;
}

std::string argument_query(const std::string& slice, const std::string& key) {
  return "select distinct a.display_value from slice s join args a using (arg_set_id) where s.name "
         "= '" +
         slice + "' and a.key = 'args." + key + "' order by 1";
}

TEST(StarpuTimeline, EveryWayOfSubmittingEndsInAnArrow) {
  const auto results =
      ask({"ways"},
          {"select category, name, count(*) from slice group by 1, 2", kArrowsQuery,
           argument_query("placed", "policy"),
           "select count(*) from slice where category = 'task' and id not in (select slice_in from "
           "flow join slice o on slice_out = o.id where o.category = 'submission')"});
  const auto slices = counts(results[0]);
  const std::map<std::string, int> executions = {{"inserted", 2}, {"built", 1},     {"tagged", 1},
                                                 {"placed", 1},   {"part", 4},      {"data_cpy", 1},
                                                 {"reducing", 8}, {"everywhere", 2}};
  auto arrows = counts(results[1]);
  for (const auto& [name, times] : executions) {
    EXPECT_EQ(slices.at({"task", name}), times) << name;
    EXPECT_EQ(slices.at({"submission", "submit " + name}), times) << name;
    EXPECT_EQ((arrows[{"submit " + name, name}]), times) << name;
  }
  // Nobody gave it a name: its function has one.
  const std::string nameless = "counting_kernel (counted.h:";
  const auto found = slices.lower_bound({"task", nameless});
  ASSERT_NE(found, slices.end());
  EXPECT_TRUE(found->first.second.starts_with(nameless)) << found->first.second;

  EXPECT_EQ(slices.at({"starpu", "(no codelet)"}), 1);
  EXPECT_EQ((arrows[{"submit (no codelet)", "(no codelet)"}]), 1);
  EXPECT_GE(slices.at({"submission", "submit _starpu_data_acquire_cb_pre"}), 1);
  EXPECT_GE(slices.at({"submission", "submit redux_task_between_replicates"}), 1);
  EXPECT_EQ((arrows[{"partition", "part"}]), 4);
  EXPECT_EQ((arrows[{"part", "unpartition"}]), 4);
  EXPECT_EQ((arrows[{"inserted", "data_cpy"}]), 1);
  for (const char* wait :
       {"acquire data", "execute on all workers", "unregister data", "wait for a tag",
        "wait for all tasks", "wait for all tasks of a context"})
    EXPECT_TRUE(slices.contains({"wait", wait})) << wait;
  EXPECT_EQ(results[2], Rows{{"eager"}});
  EXPECT_EQ(results[3], Rows{{"0"}});
}

TEST(StarpuTimeline, ATaskHasItsArguments) {
  const auto results =
      ask({"annotated_data"},
          {"select a.key, a.display_value from slice s join args a using (arg_set_id) where s.id = "
           "(select id from slice where category = 'task' and name = 'scale' order by ts limit 1)",
           "select name, count(*) from slice where name like 'iteration%' group by 1",
           "select s.name, a.display_value from slice s left join args a using (arg_set_id) where "
           "category = 'user' order by 1",
           kArrowsQuery, argument_query("scale", "data_0"), argument_query("plain", "tag")});
  std::map<std::string, std::string> arguments;
  for (const Row& row : results[0]) arguments[row.at(0).substr(sizeof "args." - 1)] = row.at(1);
  for (const auto& [key, value] :
       std::map<std::string, std::string>{{"task", "1"},
                                          {"codelet", "scale"},
                                          {"priority", "2"},
                                          {"context", "0"},
                                          {"iteration", "7"},
                                          {"flops", "12.5"},
                                          {"data_0", "RW values(3,4) 256 B"},
                                          {"data_bytes", "256"},
                                          {"submitted_by", "annotated_data"},
                                          {"memory_node", "NUMA 0"}})
    EXPECT_EQ(arguments[key], value) << key;
  EXPECT_TRUE(arguments["function"].starts_with("scale (annotated_data.c:"))
      << arguments["function"];
  EXPECT_NE(arguments["policy"], "");
  for (const char* wait : {"wait_ns", "wait_dependencies_ns", "wait_queue_ns"})
    EXPECT_TRUE(arguments.contains(wait)) << wait;
  EXPECT_EQ(results[1], (Rows{{"iteration 7", "1"}}));
  EXPECT_EQ(results[2], (Rows{{"half way", "null"}, {"user event", "42"}}));
  const auto arrows = counts(results[3]);
  EXPECT_EQ(arrows.at({"plain", "plain"}), 2) << "one by tag, one by task";
  EXPECT_EQ(results[4].size(), 5u) << "the whole and its four parts";
  EXPECT_EQ(results[5], (Rows{{"1"}, {"2"}, {"3"}, {"4"}}));
}

TEST(StarpuTimeline, PredictionsStandBesideWhatHappened) {
  const auto results =
      ask({.program = "predicted",
           .environment = {{"STARPU_SCHED", "dmda"}, {"STARPU_CALIBRATE", "2"}}},
          {"select count(*) from slice s join args a using (arg_set_id) where a.key = "
           "'args.predicted_ns' and a.int_value between 100000 and 100000000",
           "select count(*) from slice s join args a using (arg_set_id) where a.key = "
           "'args.longer_than_predicted_percent'",
           argument_query("spinning", "model"), argument_query("spinning", "priority"),
           "select count(distinct a.display_value), count(*) from slice s join args a using "
           "(arg_set_id) where a.key = 'args.footprint'"});
  EXPECT_GE(std::stoi(results[0].at(0).at(0)), 40);
  EXPECT_EQ(results[0], results[1]);
  EXPECT_EQ(results[2], Rows{{"perseid_spin"}});
  EXPECT_EQ(results[3], (Rows{{"0"}, {"1"}, {"2"}}));
  EXPECT_EQ(results[4], (Rows{{"1", "80"}}));
}

TEST(StarpuTimeline, AParallelTaskShowsOnEveryWorkerThatTookPart) {
  const auto results =
      ask({"parallel"}, {"select t.name, s.name, count(*) from slice s join thread_track tt on "
                         "s.track_id = tt.id join thread t using (utid) where s.category in "
                         "('task', 'phase') and s.name in ('spmd', 'fork_join', 'part of a "
                         "parallel task') group by 1, 2"});
  std::map<std::string, int> workers, times;
  for (const auto& [place, count] : counts(results[0])) {
    ++workers[place.second];
    times[place.second] += count;
  }
  EXPECT_EQ(workers, (std::map<std::string, int>{{"fork_join", 2}, {"spmd", 2}}));
  EXPECT_EQ(times, (std::map<std::string, int>{{"fork_join", 10}, {"spmd", 10}}));
}

TEST(StarpuTimeline, TimeThrottledInASubmissionIsInsideIt) {
  const auto results = ask(
      {.program = "many_threads",
       .environment = {{"STARPU_LIMIT_MAX_SUBMITTED_TASKS", "10"},
                       {"STARPU_LIMIT_MIN_SUBMITTED_TASKS", "5"}}},
      {"select count(*) > 0 from slice where name = 'throttled'",
       "select count(*) from slice s left join slice p on s.parent_id = p.id where s.name = "
       "'throttled' and coalesce(p.category, '') != 'submission'",
       "select count(distinct track_id) from slice where category = 'submission'",
       "select t.name, max(c.value) >= 1, min(c.value), count(*) > 10 from counter c join "
       "counter_track t on c.track_id = t.id where t.name in ('submitted tasks', 'ready tasks', "
       "'running tasks', 'idle workers') group by 1 order by 1"});
  EXPECT_EQ(results[0], Rows{{"1"}});
  EXPECT_EQ(results[1], Rows{{"0"}});
  EXPECT_EQ(results[2], Rows{{"4"}});
  EXPECT_EQ(results[3], (Rows{{"idle workers", "1", "0", "1"},
                              {"ready tasks", "1", "0", "1"},
                              {"running tasks", "1", "0", "1"},
                              {"submitted tasks", "1", "0", "1"}}));
}

/// Rows in the order in which a viewer shows them: names by their sort index.
std::vector<std::string> rows_in_order(const std::string& json) {
  std::map<std::string, std::string> names;
  std::map<int, std::string> order;
  const std::regex line(
      R"~("name":"thread_(name|sort_index)","pid":\d+,"tid":(\d+),"args":\{"\w+":"?([^"}]*))~");
  for (std::sregex_iterator at(json.begin(), json.end(), line), end; at != end; ++at) {
    if ((*at)[1] == "name") {
      names[(*at)[2]] = (*at)[3];
    } else {
      order[std::stoi((*at)[3])] = (*at)[2];
    }
  }
  std::vector<std::string> rows;
  for (const auto& [index, thread] : order) rows.push_back(names[thread]);
  return rows;
}

const Environment kDevice = {{"STARPU_OPENCL_ON_CPUS", "1"},
                             {"STARPU_NOPENCL", "1"},
                             {"STARPU_HOME", PERSEID_STARPU_DEVICE_HOME}};

TEST(StarpuTimeline, RowsStandInOrderSubmittersCpusDevicesMemory) {
  host::Sandbox sandbox;
  const host::Ending ending =
      run_for_timeline(sandbox, {.program = "scales_on_device", .environment = kDevice});
  ASSERT_TRUE(ending.is_success()) << ending.describe();
  const auto rows = rows_in_order(host::read_text(sandbox.path("timeline.json")));
  const auto place_of = [&](const std::string& start) {
    return std::ranges::find_if(rows, [&](const auto& row) { return row.starts_with(start); }) -
           rows.begin();
  };
  EXPECT_LT(place_of("StarPU"), place_of("scales_on_device"));
  EXPECT_LT(place_of("scales_on_device"), place_of("CPU 0 · "));
  EXPECT_LT(place_of("CPU 0 · "), place_of("OpenCL 0 · "));
  EXPECT_LT(place_of("OpenCL 0 · "), place_of("NUMA 0 → OpenCL 0"));
  EXPECT_LT(place_of("NUMA 0 → OpenCL 0"), std::ssize(rows));
}

TEST(StarpuTimeline, CopiesToADeviceHaveALaneAHandleAndARate) {
  const auto results = ask(
      {.program = "scales_on_device", .environment = kDevice},
      {"select t.name from slice s join thread_track tt on s.track_id = tt.id join thread t using "
       "(utid) where s.category = 'transfer' order by s.ts",
       argument_query("copy", "bytes"), argument_query("copy", "data"),
       "select count(*) from slice s join args a using (arg_set_id) where s.category = 'transfer' "
       "and a.key = 'args.gigabytes_per_second' and a.real_value > 0",
       "select t.name, max(c.value) > 0, min(c.value) from counter c join counter_track t on "
       "c.track_id = t.id where t.name like 'allocated%' or t.name like 'bytes%' group by 1 order "
       "by 1",
       "select count(*) from slice s join args a using (arg_set_id) where s.category = 'task' and "
       "a.key = 'args.function_ns' and a.int_value < s.dur"});
  EXPECT_EQ(results[0], (Rows{{"NUMA 0 → OpenCL 0"}, {"OpenCL 0 → NUMA 0"}}));
  EXPECT_EQ(results[1], (Rows{{"4096"}}));
  EXPECT_EQ(results[2].size(), 1u) << "both copies are of the same data";
  EXPECT_EQ(results[3], Rows{{"2"}});
  ASSERT_EQ(results[4].size(), 2u);
  for (const Row& counter : results[4]) {
    EXPECT_EQ(counter.at(1), "1") << counter.at(0);
    EXPECT_EQ(counter.at(2), "0") << counter.at(0);
  }
  EXPECT_EQ(results[5], Rows{{"1"}}) << "an asynchronous kernel outlasts its function";
}

}  // namespace
}  // namespace perseid::starpu
