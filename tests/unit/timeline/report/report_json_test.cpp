// tests/unit/timeline/report/report_json_test.cpp: what is written is read again, and nothing else.
#include "timeline/report/report_json.h"

#include <gtest/gtest.h>
#include <rapidjson/document.h>

#include "tests/stream/fabricate.h"
#include "tests/unit/timeline/report/example_report.h"
#include "timeline/check/report_reader.h"
#include "timeline/report/report_text.h"

namespace perseid {
namespace {

using test::example_report;
using test::kSecond;

ReportData read_again(const ReportData& data) {
  const Result<ReportData> read = read_report_json(write_report_json(data));
  EXPECT_TRUE(read) << read.error();
  return read ? *read : ReportData{};
}

void expect_same(const ReportData& data) {
  const ReportData read = read_again(data);
  EXPECT_EQ(write_report_json(read), write_report_json(data));
  for (const ReportLength length : {ReportLength::kShort, ReportLength::kFull}) {
    EXPECT_EQ(report_text(read, length, "x"), report_text(data, length, "x"));
  }
}

int64_t sum_of(const rapidjson::Value& object) {
  int64_t sum = 0;
  for (const auto& member : object.GetObject()) sum += member.value.GetInt64();
  return sum;
}

TEST(ReportJson, KeepsEverythingThatTheTextShows) {
  expect_same(example_report());
  expect_same(ReportData{});
  ReportData data = example_report();
  data.too_short = "too short";
  expect_same(data);
}

TEST(ReportJson, KeepsHostileNames) {
  ReportData data = example_report();
  constexpr std::string_view kHostile("\x00\x1b\n\"\\</script>\xff\xc3\xa9", 17);
  static_assert(kHostile.back() == '\xa9');
  const std::string hostile(kHostile);
  data.program = data.job = data.host = data.policy = data.scope = hostile;
  data.kinds.front().kind = data.chain.work.front().kind = data.phases.front().name = hostile;
  data.workers.front().name = data.doubts.front().text = hostile;
  expect_same(data);
}

TEST(ReportJson, HasNoCharacterThatPerfettoRefuses) {
  ReportData data;
  data.program = "a\x7f\x7f{b";
  EXPECT_NE(write_report_json(data).find(R"("program":"a\u007f\u007f{b")"), std::string::npos);
  expect_same(data);
}

TEST(ReportJson, HasSumsThatAgree) {
  rapidjson::Document json;
  json.Parse(write_report_json(example_report()).c_str());
  ASSERT_TRUE(json.IsObject());
  EXPECT_EQ(json["version"].GetInt(), 1);
  EXPECT_EQ(json["workers"].GetInt64(), 4);
  EXPECT_EQ(json["worker_ns"].GetInt64(), 4 * json["time_ns"].GetInt64());
  EXPECT_EQ(sum_of(json["labels"]["all"]), json["worker_ns"].GetInt64());
  EXPECT_EQ(sum_of(json["labels"]["cpu"]), 3 * json["time_ns"].GetInt64());
  EXPECT_EQ(sum_of(json["labels"]["cuda"]), json["time_ns"].GetInt64());
  EXPECT_EQ(sum_of(json["chain"]), json["time_ns"].GetInt64());
  EXPECT_EQ(json["bounds"]["best_ns"].GetInt64(), 7 * kSecond);
  EXPECT_EQ(json["per_worker"].Size(), 4u);
  EXPECT_EQ(json["findings"].Size(), 0u);
}

TEST(ReportJson, OfAPartWithoutWorkersKeepsItsSums) {
  ReportData data;
  data.time_ns = 4 * kSecond;
  data.sums = example_report().phases.front();
  expect_same(data);
  EXPECT_EQ(read_again(data).sums.workers[0], 3u);
}

TEST(ReportJson, OfALaterVersionIsRead) {
  const Result<ReportData> read = read_report_json(
      R"({"version":9,"new":[{}],"time_ns":5,"per_worker":[{"kind":"npu","labels":{"new":5}}]})");
  ASSERT_TRUE(read) << read.error();
  EXPECT_EQ(read->workers.front().kind, WorkerKind::kOther);
  EXPECT_EQ(read->workers.front().labels[Label::kUnexplained], 5);
}

TEST(ReportJson, ThatCannotBeIsRefused) {
  for (const char* json :
       {"",
        "[]",
        "1",
        "{",
        "{}",
        R"({"version":0})",
        R"({"version":"1"})",
        R"({"version":1,"time_ns":-1})",
        R"({"version":1,"time_ns":1e3})",
        R"({"version":1,"time_ns":99999999999999999999})",
        R"({"version":1,"time_ns":9223372036854775807})",
        R"({"version":1,"program":5})",
        R"({"version":1,"ranks":4294967296})",
        R"({"version":1,"per_worker":{}})",
        R"({"version":1,"per_worker":[5]})",
        R"({"version":1,"per_worker":[{"labels":[]}]})",
        R"({"version":1,"begin_ns":5,"end_ns":4})",
        R"({"version":1,"chain":[]})",
        R"({"version":1,"per_worker":[{"labels":{"work":4611686018427387904}},)"
        R"({"labels":{"work":1}}]})",
        R"({"version":1,"end_ns":4611686018427387903,"per_worker":[{},{}]})",
        R"({"version":1,"kinds":[{"on":5}]})",
        R"({"version":1,"hosts":[5]})",
        R"({"version":1,"phases":[{"time_ns":4611686018427387904,"workers_by_kind":{"cpu":9}}]})",
        "{\"version\":1,\"program\":\"\xff\"}"}) {
    const Result<ReportData> read = read_report_json(json);
    ASSERT_FALSE(read) << json;
    EXPECT_TRUE(read.error().starts_with("the report ")) << read.error();
  }
  EXPECT_FALSE(read_report_json(std::string(1 << 20, '[')));
}

TEST(ReportJson, IsFoundInTimelinesOfOthers) {
  const test::TemporaryDirectory directory;
  const std::string path = directory / "x.json";
  const std::string report = write_report_json(example_report());
  const std::string expected = report_text(example_report(), ReportLength::kFull, "");
  for (const std::string& timeline :
       {"{\"traceEvents\":[\n],\"otherData\":{},\n\"perseid_report\":" + report + "}\n",
        "{\"perseid_report\": " + report + ",\"traceEvents\":[{\"perseid_report\":1}]}"}) {
    test::write_file(path, timeline);
    const Result<ReportData> found = report_in_timeline(path);
    ASSERT_TRUE(found) << found.error();
    EXPECT_EQ(report_text(*found, ReportLength::kFull, ""), expected);
  }
  for (const char* timeline :
       {"{\"traceEvents\":[]}", "[]", "{\"perseid_report\":5}", "{\"perseid_report\":{}}", "",
        "{\"traceEvents\":[],\n\"perseid_report\":", "\n", "\n\x05\n\xff\xff\xff\xff\xff"}) {
    test::write_file(path, timeline);
    EXPECT_FALSE(report_in_timeline(path)) << timeline;
  }
}

}  // namespace
}  // namespace perseid
