// tests/unit/timeline/report/report_text_test.cpp: lines that fit, columns that sum to 100.0.
#include "timeline/report/report_text.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <regex>
#include <sstream>
#include <vector>

#include "tests/unit/timeline/report/example_report.h"
#include "timeline/report/report_rows.h"

namespace perseid {
namespace {

using test::example_report;
using test::kSecond;

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

size_t width_of(const std::string& line) {
  return static_cast<size_t>(
      std::ranges::count_if(line, [](char c) { return (static_cast<uint8_t>(c) & 0xc0) != 0x80; }));
}

void expect_fits(const ReportData& data) {
  const std::vector<std::string> shorter =
      lines_of(report_text(data, ReportLength::kShort, "perseid report x.json"));
  const std::vector<std::string> full =
      lines_of(report_text(data, ReportLength::kFull, "perseid report x.json"));
  EXPECT_LE(shorter.size(), kShortReportLines);
  EXPECT_LE(full.size(), kReportLines);
  for (const auto& lines : {shorter, full}) {
    ASSERT_FALSE(lines.empty());
    EXPECT_TRUE(lines.front().starts_with("perseid: ")) << lines.front();
    for (const std::string& line : lines) {
      EXPECT_LE(width_of(line), kReportWidth) << line;
      EXPECT_TRUE(std::ranges::none_of(line, [](char c) {
        return static_cast<uint8_t>(c) < 0x20 || c == 0x7f;
      })) << line;
    }
  }
}

/// The tenths of percent of each column of the table.
std::vector<int> column_sums(const std::string& text) {
  std::vector<int> sums;
  bool is_table = false;
  for (const std::string& line : lines_of(text)) {
    if (line.starts_with("Where ")) {
      is_table = true;
    } else if (is_table && line.starts_with("  ")) {
      const std::regex share("([0-9]+)\\.([0-9])(?= |$)");
      size_t column = 0;
      for (std::sregex_iterator at(line.begin() + 28, line.end(), share), end; at != end; ++at) {
        if (sums.size() <= column) sums.push_back(0);
        sums[column++] += 10 * std::stoi((*at)[1]) + std::stoi((*at)[2]);
      }
    } else {
      is_table = false;
    }
  }
  return sums;
}

TEST(ReportText, ShowsEverythingInOrder) {
  ReportData data = example_report();
  data.scope = "iterations 3 to 5";
  EXPECT_EQ(report_text(data, ReportLength::kFull, "perseid report run.json"),
            R"(perseid: lu_mpi, job 48213, gpu07: 3 CPU + 1 CUDA workers, StarPU dmdas
1,254,310 tasks in 10.00 s, nothing lost. 60 % of the workers' time was work.
Scope: iterations 3 to 5.
No schedule of these tasks can be faster than 7.00 s: up to 3.00 s to gain.

Where 4 workers x 10.00 s went                  CPU    CUDA     all
  work                                         60.0    60.0    60.0 %
  dependencies: no task was ready              20.0     0.0    15.0
  tail: no more tasks                          16.7     6.7    14.2
  waiting for data (copies)                     0.0    30.0     7.5
  scheduler and runtime                         3.3     3.3     3.3
The run waited for: all workers busy 5.0 s, tasks 4.0, copies 1.0 (sum 10.0);
  of its tasks gemm 67 %, potrf 33 %
Phases: solve 4.00 s, 75 % work
Task                       tasks  work % median CPU     CUDA  p95/p50  on chain
  gemm                       400    33.3    1.39 ms  62.0 us      1.4      33 %
  trsm                       400    33.3    1.39 ms  62.0 us      1.4      33 %
  potrf                      400    33.3    1.39 ms  62.0 us      1.4      33 %
Doubts: clocks known to 30 us only.
Next: perseid report run.json
)");
}

TEST(ReportText, HasAtMostFiveLinesInShort) {
  EXPECT_EQ(report_text(example_report(), ReportLength::kShort, "perseid report run.json"),
            R"(perseid: lu_mpi, job 48213, gpu07: 3 CPU + 1 CUDA workers, StarPU dmdas
60 % of 4 workers x 10.00 s was work; no schedule can beat 7.00 s.
Lost: 15 % dependencies: no task was ready; CPU: 20 %; on the chain: gemm
Lost: 14 % tail: no more tasks
More, and 1 doubt: perseid report run.json
)");
}

TEST(ReportText, OfAGoodRunSaysThatThereIsLittleToGain) {
  ReportData data = example_report();
  data.bounds.best_ns = 9'600'000'000;
  EXPECT_NE(report_text(data, ReportLength::kFull, "")
                .find("Within 4.0 % of the bound (9.60 s): little to gain by scheduling."),
            std::string::npos);
  EXPECT_NE(
      report_text(data, ReportLength::kShort, "").find("; within 4.0 % of the bound (9.60 s)."),
      std::string::npos);
}

TEST(ReportText, NamesWhatIsLeftOut) {
  ReportData data = example_report();
  data.scope = "without the warm-up phases, 30.00 ms";
  EXPECT_NE(report_text(data, ReportLength::kShort, "x")
                .find("\nMore (without the warm-up phases, 30.00 ms), and 1 doubt: x\n"),
            std::string::npos);
}

TEST(ReportText, OfARunThatIsTooShortIsOneLine) {
  ReportData data = example_report();
  data.too_short = "12 tasks in 0.31 ms are too short to judge";
  const std::string expected = "perseid: lu_mpi: 12 tasks in 0.31 ms are too short to judge\n";
  EXPECT_EQ(report_text(data, ReportLength::kShort, "x"), expected);
  EXPECT_EQ(report_text(data, ReportLength::kFull, "x"), expected);
}

TEST(ReportText, IsEmptyWhereNothingWasAskedForOrRecorded) {
  EXPECT_EQ(report_text(example_report(), ReportLength::kOff, "x"), "");
  EXPECT_EQ(report_text(ReportData{}, ReportLength::kFull, "x"), "");
}

TEST(ReportText, ReportsWhatWasLost) {
  ReportData data = example_report();
  data.lost = 17;
  data.doubts.push_back({"lost", "17 events lost"});
  EXPECT_NE(report_text(data, ReportLength::kFull, "").find(", 17 events lost. "),
            std::string::npos);
  EXPECT_NE(report_text(data, ReportLength::kShort, "x").find("More, and 2 doubts: x"),
            std::string::npos);
}

TEST(ReportText, MakesNamesPrintableAndCutsThem) {
  const std::string hostile = "\x1b[31m\n\"\\\xff\xc3\xa9\xe2\x80\xae%s{}" + std::string(500, 'x');
  ReportData data = example_report();
  data.program = data.job = data.host = data.policy = data.scope = hostile;
  for (WorkerTime& worker : data.workers) worker.name = hostile;
  for (KindStatistics& kind : data.kinds) kind.kind = hostile;
  for (KindTime& kind : data.chain.work) kind.kind = hostile;
  for (PhaseTime& phase : data.phases) phase.name = hostile;
  for (int i = 0; i < 20; ++i) data.doubts.push_back({hostile, hostile});
  data.chain.taint = hostile;
  expect_fits(data);
  data.too_short = hostile;
  expect_fits(data);
}

TEST(ReportText, FitsWithAllKindsLabelsAndManyTasks) {
  ReportData data = example_report();
  data.workers.clear();
  for (size_t kind = 0; kind < kWorkerKinds; ++kind) {
    WorkerTime worker;
    worker.kind = static_cast<WorkerKind>(kind);
    for_each_label([&](Label label) {
      worker.labels[label] = static_cast<int64_t>(1 + kind + static_cast<size_t>(label)) * kSecond;
    });
    data.workers.push_back(worker);
  }
  for (int i = 0; i < 100; ++i) data.kinds.push_back(data.kinds.front());
  for (KindStatistics& kind : data.kinds) {
    kind.tasks = UINT64_MAX;
    kind.on[2] = kind.on[0];
  }
  for (int64_t& ns : data.chain.ns) ns = 7 * kSecond;
  for (int i = 0; i < 30; ++i) data.phases.push_back(data.phases.front());
  data.scope = "iterations 10 to 20";
  data.lost = UINT64_MAX;
  data.tasks = UINT64_MAX;
  expect_fits(data);
  for (const int sum : column_sums(report_text(data, ReportLength::kFull, ""))) {
    EXPECT_EQ(sum, 1000);
  }
}

TEST(ReportText, JoinsWhatWouldBeZero) {
  ReportData data = example_report();
  for (WorkerTime& worker : data.workers) {
    worker.labels[Label::kStart] = 1000;
    worker.labels[Label::kLatency] = 2000;
    worker.labels[Label::kCallback] = 3000;
  }
  const std::string text = report_text(data, ReportLength::kFull, "");
  EXPECT_NE(text.find("\n  other "), std::string::npos) << text;
  EXPECT_EQ(text.find("callbacks"), std::string::npos) << text;
}

TEST(ReportText, HasColumnsThatSumToAHundred) {
  std::mt19937_64 random(7);
  for (int round = 0; round < 200; ++round) {
    ReportData data = example_report();
    for (WorkerTime& worker : data.workers) {
      for_each_label([&](Label label) {
        worker.labels[label] =
            static_cast<int64_t>(random() % (uint64_t{1} << (random() % 50 + 1)));
      });
    }
    const std::vector<int> sums = column_sums(report_text(data, ReportLength::kFull, ""));
    EXPECT_EQ(sums, (std::vector<int>{1000, 1000, 1000}));
    expect_fits(data);
  }
}

TEST(ReportText, NamesNoCommandThatDoesNotFit) {
  const std::string text = report_text(example_report(), ReportLength::kShort,
                                       "perseid report /" + std::string(200, 'x'));
  EXPECT_NE(text.find("perseid report with the file above"), std::string::npos);
}

TEST(RoundedShares, SumToTheWhole) {
  EXPECT_EQ(rounded_shares({1, 1, 1}, 1000), (std::vector<int64_t>{334, 333, 333}));
  EXPECT_EQ(rounded_shares({2, 1}, 100), (std::vector<int64_t>{67, 33}));
  EXPECT_EQ(rounded_shares({0, 5}, 10), (std::vector<int64_t>{0, 10}));
  EXPECT_EQ(rounded_shares({0, 0}, 10), (std::vector<int64_t>{0, 0}));
  EXPECT_EQ(rounded_shares({INT64_MAX, INT64_MAX}, 1000), (std::vector<int64_t>{500, 500}));
}

}  // namespace
}  // namespace perseid
