// tests/stream/join_test.cpp: many captures become one timeline.
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <filesystem>

#include "tests/stream/fabricate.h"
#include "timeline/check/plain_file.h"
#include "timeline/check/report.h"
#include "timeline/export/merge_captures.h"
#include "timeline/walk/job_clocks.h"
#include "timeline/writers/gzip_stream.h"

namespace perseid::test {
namespace {

namespace fs = std::filesystem;

/// Rank `rank` of `size`, with one range from 1000 to 2000 ns on its own clock.
class RankCapture {
 public:
  RankCapture(uint32_t rank, uint32_t size, const std::string& machine) {
    builder_.manifest["rank"] = std::to_string(rank);
    builder_.manifest["size"] = std::to_string(size);
    builder_.manifest["machine"] = machine;
    builder_.mpi_rank = rank;
    builder_.mpi_size = size;
    builder_.stream(1, builder_.pid, "main").begin(1000, "step").end(2000, 0);
  }
  CaptureBuilder& operator*() { return builder_; }
  const std::string& write() {
    builder_.write();
    return builder_.path();
  }

 private:
  CaptureBuilder builder_;
};

/// What stands between `key":` and the end of its number in the first event called `name` of the
/// process with that rank.
double begin_us(const std::string& text, uint32_t rank) {
  const std::string pid = "\"pid\":" + std::to_string((rank + 1) * 10'000 + 4242);
  for (size_t at = 0; (at = text.find("\"name\":\"step\"", at)) != std::string::npos; ++at) {
    const std::string line = text.substr(at, text.find('\n', at) - at);
    if (line.find(pid) == std::string::npos) continue;
    return std::stod(line.substr(line.find("\"ts\":") + 5));
  }
  return -1;
}

TEST(Join, ProcessesOfRanksHaveIdsOfTheirOwnAndTheirNames) {
  RankCapture first(0, 2, "a"), second(1, 2, "a");
  const TemporaryDirectory directory;
  const auto report = join_captures({second.write(), first.write()},
                                    {.out = directory / "all.json", .progress = {}});
  ASSERT_TRUE(report) << report.error();
  EXPECT_EQ(report->captures, 2u);
  EXPECT_EQ(report->machines, 1u);
  EXPECT_EQ(report->clock_error_ns, 0);
  const std::string text = read_file(report->file);
  EXPECT_NE(text.find("rank 0 of 2 · solver · node7"), std::string::npos);
  EXPECT_LT(text.find("rank 0 of 2"), text.find("rank 1 of 2"));
  EXPECT_DOUBLE_EQ(begin_us(text, 0), begin_us(text, 1));
}

TEST(Join, TheJobStandsAboveItsRanksWithItsFactsAndTheirs) {
  RankCapture first(0, 2, "a"), second(1, 2, "a");
  for (RankCapture* const rank : {&first, &second}) (**rank).manifest["job"] = "4711";
  (*second).stream(2, 4300, "worker").lost(1500, 0, 17, 1200, 0).begin(5000, "late").end(9000, 0);
  (*second).end = SessionEnd::kRunning;
  (*second).pid = 0x3ffffff;  // nobody has it
  const TemporaryDirectory directory;
  for (const char* const name : {"all.json", "all.pftrace"}) {
    const auto report =
        join_captures({second.write(), first.write()}, {.out = directory / name, .progress = {}});
    ASSERT_TRUE(report) << report.error();
    const auto check = check_timeline(report->file);
    ASSERT_TRUE(check) << check.error();
    std::vector<std::string> lanes;
    for (const auto& lane : check->lanes) lanes.push_back(lane.name);
    EXPECT_EQ(lanes, (std::vector<std::string>{"rank 0 · node7", "rank 1 · node7", "Run", "main",
                                               "Run", "main", "worker"}));
    EXPECT_EQ(check->lost, 17u);
    const auto fact = [&](const std::string& key) {
      return std::string(fact_text(check->facts, key));
    };
    EXPECT_EQ(fact("captures"), "2");
    EXPECT_EQ(fact("job"), "4711");
    EXPECT_EQ(fact("rank 1: end"), "killed");
  }
  const std::string text = read_file(directory / "all.json");
  EXPECT_NE(text.find("\"name\":\"Job 4711 · solver\""), std::string::npos);
  EXPECT_NE(text.find("solver: 2 ranks on 1 host, 1 not finished, 17 lost"), std::string::npos);
  EXPECT_NE(text.find("\"name\":\"solver, killed, 17 lost\""), std::string::npos);
}

TEST(Join, OneProcessIsNoJob) {
  RankCapture alone(0, 1, "a");
  const TemporaryDirectory directory;
  const auto report =
      join_captures({alone.write()}, {.out = directory / "all.json", .progress = {}});
  ASSERT_TRUE(report) << report.error();
  const auto check = check_timeline(report->file);
  ASSERT_TRUE(check) << check.error();
  ASSERT_EQ(check->lanes.size(), 1u);
  EXPECT_EQ(check->lanes[0].name, "main");
}

TEST(Join, ACaptureThatCannotBeReadIsNamedAmongTheFacts) {
  RankCapture first(0, 2, "a");
  const TemporaryDirectory directory;
  const auto report = join_captures({first.write(), directory / "none.capture"},
                                    {.out = directory / "all.json", .progress = {}});
  ASSERT_TRUE(report) << report.error();
  EXPECT_EQ(report->unreadable.size(), 1u);
  EXPECT_NE(read_file(report->file).find("\"left_out_1\":\""), std::string::npos);
}

TEST(Join, ClocksThatWereMeasuredAreBroughtTogether) {
  RankCapture first(0, 2, "a"), second(1, 2, "b");
  (*first).syncs = {{kStartMonoNs, 0, 0, 0, 0}};
  // The second machine's clock is 5 ms ahead at first and gains 100 us in a second.
  (*second).syncs = {{kStartMonoNs, -5'000'000, 700, 0, 0},
                     {kStartMonoNs + 1'000'000'000, -5'100'000, 900, 0, 0}};
  const TemporaryDirectory directory;
  const auto report = join_captures({first.write(), second.write()},
                                    {.out = directory / "all.json", .progress = {}});
  ASSERT_TRUE(report) << report.error();
  EXPECT_EQ(report->clock_error_ns, 900);
  EXPECT_TRUE(warnings(*report).empty());
  const std::string text = read_file(report->file);
  EXPECT_NEAR(begin_us(text, 1) - begin_us(text, 0), -5000, 0.01);
}

TEST(Join, ALargeOrUnknownErrorIsWorthAWarning) {
  RankCapture first(0, 2, "a"), second(1, 2, "b");
  (*first).syncs = {{kStartMonoNs, 0, 0, 0, 0}};
  (*second).syncs = {{kStartMonoNs, -5'000'000, 25'000, 0, 0}};
  const TemporaryDirectory directory;
  const auto measured = join_captures({first.write(), second.write()},
                                      {.out = directory / "measured.json", .progress = {}});
  ASSERT_TRUE(measured) << measured.error();
  ASSERT_EQ(warnings(*measured).size(), 1u);
  EXPECT_NE(warnings(*measured)[0].find("more than 10 us"), std::string::npos);

  RankCapture third(0, 2, "a"), fourth(1, 2, "b");
  const auto by_date = join_captures({third.write(), fourth.write()},
                                     {.out = directory / "date.json", .progress = {}});
  ASSERT_TRUE(by_date) << by_date.error();
  EXPECT_EQ(by_date->realtime_clocks, 2u);
  ASSERT_EQ(warnings(*by_date).size(), 1u);
  EXPECT_NE(warnings(*by_date)[0].find("CLOCK_REALTIME"), std::string::npos);
}

TEST(Join, SaysHowRanksEndedThatDidNotFinish) {
  RankCapture first(0, 2, "a"), second(1, 2, "a");
  (*second).end = SessionEnd::kRunning;
  (*second).pid = 0x3ffffff;  // nobody has it
  (*second).manifest["pid"] = std::to_string(0x3ffffff);
  const TemporaryDirectory directory;
  const auto report = join_captures({first.write(), second.write()},
                                    {.out = directory / "all.json", .progress = {}});
  ASSERT_TRUE(report) << report.error();
  ASSERT_EQ(report->ends.size(), 1u);
  EXPECT_EQ(report->ends[0], "rank 1: killed");
}

TEST(Join, TwoThousandCapturesNeedFewDescriptors) {
  constexpr uint32_t kCaptures = 2000;
  const TemporaryDirectory directory;
  RankCapture pattern(0, kCaptures, "a");
  const std::string source = pattern.write();
  std::vector<std::string> captures;
  for (uint32_t rank = 0; rank < kCaptures; ++rank) {
    const std::string path = directory / ("rank" + std::to_string(rank) + ".capture");
    fs::create_directory(path);
    for (const char* name : {kStateFile, kStringsFile, kSpoolFile}) {
      fs::create_hard_link(source + "/" + name, path + "/" + name);
    }
    auto entries = std::vector<std::pair<std::string, std::string>>((*pattern).manifest.begin(),
                                                                    (*pattern).manifest.end());
    for (auto& [key, value] : entries) {
      if (key == "rings") value = path;
    }
    write_file(path + "/" + kManifestFile, format_manifest(entries));
    captures.push_back(path);
  }
  rlimit before;
  getrlimit(RLIMIT_NOFILE, &before);
  const rlimit few{256, before.rlim_max};
  setrlimit(RLIMIT_NOFILE, &few);
  const auto report = join_captures(captures, {.out = directory / "all.json", .progress = {}});
  setrlimit(RLIMIT_NOFILE, &before);
  ASSERT_TRUE(report) << report.error();
  EXPECT_EQ(report->captures, kCaptures);
  EXPECT_EQ(report->records, 2u * kCaptures);
  EXPECT_TRUE(report->unreadable.empty());
}

TEST(Join, TimelinesOfAnotherFormatAreRefused) {
  const TemporaryDirectory directory;
  write_file(directory / "a.pftrace", "");
  const auto report =
      join_timelines({directory / "a.pftrace"}, {.out = directory / "all.json", .progress = {}});
  ASSERT_FALSE(report);
  EXPECT_NE(report.error().find("a.pftrace"), std::string::npos);
}

class StringSink final : public ByteSink {
 public:
  void write(const char* data, size_t bytes) noexcept override { text.append(data, bytes); }
  std::string text;
};

std::string packed(std::string_view plain) {
  StringSink sink;
  GzipStream compressor(sink, 0);
  compressor.write(plain.data(), plain.size());
  compressor.finish();
  return sink.text;
}

TEST(Join, CompressedTimelinesJoinPlainOnes) {
  const TemporaryDirectory directory;
  const std::string long_event = "{\"name\":\"" + std::string(3'000'000, 'x') + "\"}";
  write_file(directory / "a.json", "{\"traceEvents\":[\n{\"a\":1},\n" + long_event + "\n]}\n");
  write_file(directory / "b.json.gz", packed("{\"traceEvents\":[\n{\"b\":2}\n]}\n"));
  const std::string out = directory / "all.json.gz";
  const auto report =
      join_timelines({directory / "a.json", directory / "b.json.gz"}, {.out = out, .progress = {}});
  ASSERT_TRUE(report) << report.error();
  EXPECT_EQ(report->file_bytes, fs::file_size(out));
  EXPECT_LT(fs::file_size(out), 100'000u);
  EXPECT_EQ(open_plain(out)->read_text(1 << 23),
            "{\"traceEvents\":[\n{\"a\":1},\n" + long_event +
                ",\n{\"b\":2}\n],\"displayTimeUnit\":\"ns\",\"otherData\":{\n"
                "\"merged_timelines\":\"2\"\n}}\n");
}

TEST(Join, CompressedPacketsJoinPlainOnes) {
  const TemporaryDirectory directory;
  // Field 1 of a trace is a packet, field 8 of a packet its time.
  const std::string first("\x0a\x02\x40\x01", 4), second("\x0a\x02\x40\x02", 4);
  write_file(directory / "a.pftrace", first);
  write_file(directory / "b.pftrace.gz", packed(second));
  const auto report = join_timelines({directory / "a.pftrace", directory / "b.pftrace.gz"},
                                     {.out = directory / "all.pftrace", .progress = {}});
  ASSERT_TRUE(report) << report.error();
  EXPECT_EQ(open_plain(directory / "all.pftrace")->read_text(100), first + second);
}

TEST(Join, AJsonTimelineThatIsCutShortIsRefused) {
  const TemporaryDirectory directory;
  write_file(directory / "a.json", "{\"traceEvents\":[\n{\"ph\":\"X\"},\n");
  const auto report =
      join_timelines({directory / "a.json"}, {.out = directory / "all.json", .progress = {}});
  ASSERT_FALSE(report);
  EXPECT_FALSE(fs::exists(directory / "all.json"));
}

}  // namespace
}  // namespace perseid::test
