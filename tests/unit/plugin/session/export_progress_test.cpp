// tests/unit/plugin/session/export_progress_test.cpp: progress of an export at exit.
#include "plugin/session/export_progress.h"

#include <gtest/gtest.h>

#include <fstream>
#include <string>
#include <vector>

#include "plugin/session/message.h"
#include "tests/unit/plugin/temporary_directory.h"

namespace perseid {
namespace {

constexpr int64_t kSecond = 1'000'000'000;

TEST(ExportProgress, LongExportsPrintALineAtDoublingIntervals) {
  const TemporaryDirectory directory;
  const std::string log = directory.file("log");
  direct_messages(log.c_str(), false);
  ExportProgress progress(1000 * kSecond);
  for (int64_t second = 0; second <= 100; ++second) {
    progress.print(static_cast<double>(second) / 100, (1000 + second) * kSecond);
  }
  direct_messages("", false);

  std::vector<std::string> printed;
  std::ifstream file(log);
  for (std::string line; std::getline(file, line);)
    printed.push_back(line.substr(0, line.find(';')));
  EXPECT_EQ(printed, (std::vector<std::string>{"perseid: writing the timeline: 5 % after 5 s",
                                               "perseid: writing the timeline: 10 % after 10 s",
                                               "perseid: writing the timeline: 20 % after 20 s",
                                               "perseid: writing the timeline: 40 % after 40 s",
                                               "perseid: writing the timeline: 80 % after 80 s"}));
}

}  // namespace
}  // namespace perseid
