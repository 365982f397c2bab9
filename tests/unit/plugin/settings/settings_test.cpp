// tests/unit/plugin/settings/settings_test.cpp: the syntax of the two variables, and what is
// complained about.
#include "plugin/settings/settings.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace perseid {
namespace {

struct Read {
  Settings settings;
  std::vector<std::string> problems;
};

void collect(void* context, const char* sentence) {
  static_cast<std::vector<std::string>*>(context)->push_back(sentence);
}

Read read(const char* starpu, const char* perseid, const char* own = "/opt/lib/libperseid.so") {
  Read result;
  read_settings(starpu, perseid, own, result.settings, collect, &result.problems);
  return result;
}

Read read(const char* perseid) { return read(nullptr, perseid); }

std::string only_problem(const Read& result) {
  EXPECT_EQ(result.problems.size(), 1u);
  return result.problems.empty() ? "" : result.problems.front();
}

TEST(Settings, ChooseDevices) {
  EXPECT_EQ(read("on").settings.cuda, CudaChoice::kOn);
  EXPECT_EQ(read("cuda=0").settings.cuda, CudaChoice::kOff);
  EXPECT_EQ(read("cuda=off").settings.cuda, CudaChoice::kOff);
  EXPECT_EQ(read("cuda=graphs").settings.cuda, CudaChoice::kGraphs);
  EXPECT_EQ(read("on").settings.opencl, OpenclChoice::kAuto);
  EXPECT_EQ(read("opencl=on").settings.opencl, OpenclChoice::kOn);
  EXPECT_TRUE(read("nvtx=1").settings.nvtx);
  EXPECT_EQ(only_problem(read("cuda=all")),
            "PERSEID: cuda=\"all\" is not one of 0, 1, graphs; using 1");
  EXPECT_EQ(only_problem(read("opencl=perhaps")),
            "PERSEID: opencl=\"perhaps\" is not one of auto, on, off; using auto");
}

TEST(Settings, AreOffWhenUnsetEmptyOrOff) {
  for (const char* value : {static_cast<const char*>(nullptr), "", "0", "off", "OFF", "no"}) {
    const Read result = read(value);
    EXPECT_FALSE(result.settings.is_on) << (value ? value : "unset");
    EXPECT_TRUE(result.problems.empty());
  }
}

TEST(Settings, RanksTakeTheCommasAfterThem) {
  const Read result = read("ranks=0,4-7,every:64,keep=1");
  EXPECT_STREQ(result.settings.ranks, "0,4-7,every:64");
  EXPECT_TRUE(result.settings.keep);
  EXPECT_TRUE(result.settings.is_on);
  EXPECT_TRUE(result.problems.empty());
  EXPECT_STREQ(read("ranks=4,out.json").settings.out, "out.json");
  EXPECT_FALSE(read("ranks=4,off").settings.is_on);
}

TEST(Settings, BadRanksAreReported) {
  EXPECT_EQ(only_problem(read("ranks=7-4")),
            "PERSEID: ranks=\"7-4\" is not a list of ranks such as 0,4-7 or every:64; using all");
}

TEST(Settings, RuntimesCanBeLeftOut) {
  EXPECT_TRUE(read("1").settings.openmp);
  EXPECT_TRUE(read("1").settings.mpi);
  const Read result = read("openmp=off,mpi=off");
  EXPECT_FALSE(result.settings.openmp);
  EXPECT_FALSE(result.settings.mpi);
  EXPECT_TRUE(result.settings.is_on);
  EXPECT_TRUE(result.problems.empty());
}

TEST(Settings, AreTheDefaultsWhenSwitchedOn) {
  for (const char* value :
       {"1", "on", "/opt/lib/libperseid.so", "libperseid.so", "./libperseid.so.0"}) {
    const Read result = read(value);
    EXPECT_TRUE(result.settings.is_on) << value;
    EXPECT_STREQ(result.settings.out, "") << value;
    EXPECT_EQ(result.settings.ring_bytes, 1024u * 1024);
    EXPECT_TRUE(result.problems.empty());
  }
}

TEST(Settings, ARenamedLibraryStillMeansOn) {
  const Read result = read(nullptr, "/elsewhere/tracer.so", "/opt/lib/tracer.so");
  EXPECT_TRUE(result.settings.is_on);
  EXPECT_STREQ(result.settings.out, "");
}

TEST(Settings, APathOrPatternChoosesWhereTheTimelineGoes) {
  for (const char* value :
       {"/tmp/a.json", "./ring=4.json", "%x-%p.json", "run.json", "/tmp/keep=1"}) {
    const Read result = read(value);
    EXPECT_TRUE(result.settings.is_on);
    EXPECT_STREQ(result.settings.out, value);
    EXPECT_TRUE(result.problems.empty());
  }
}

TEST(Settings, FormatsAreNamesWithPlusBetweenThem) {
  for (const char* value : {"json", "pftrace.gz", "json+pftrace", "json.gz+pftrace.gz+json"}) {
    const Read result = read((std::string("format=") + value).c_str());
    EXPECT_STREQ(result.settings.format, value);
    EXPECT_TRUE(result.problems.empty());
  }
  for (const char* value : {"", "otf2", "json+", "+json", "json+otf2", "JSON"}) {
    const Read result = read((std::string("format=") + value).c_str());
    EXPECT_STREQ(result.settings.format, "");
    EXPECT_NE(only_problem(result).find("is not one of json, json.gz, pftrace, pftrace.gz"),
              std::string::npos);
  }
}

TEST(Settings, LimitsOfATimelineAreNumbersOrAll) {
  const Read result = read("max_events=5000,max_bytes=500M");
  EXPECT_EQ(result.settings.max_events, 5000u);
  EXPECT_EQ(result.settings.max_bytes, 500u << 20);
  EXPECT_TRUE(result.problems.empty());
  const Read none = read("max_events=all,max_bytes=all");
  EXPECT_EQ(none.settings.max_events, UINT64_MAX);
  EXPECT_EQ(none.settings.max_bytes, UINT64_MAX);
  EXPECT_EQ(only_problem(read("max_bytes=1K")), "PERSEID: max_bytes=\"1K\" is too small; using 1M");
  EXPECT_EQ(only_problem(read("max_bytes=big")),
            "PERSEID: max_bytes=\"big\" is not a size such as 500M; using all");
  EXPECT_EQ(only_problem(read("max_events=few")),
            "PERSEID: max_events=\"few\" is not a number or all; using all");
}

TEST(Settings, EveryKeyIsUnderstood) {
  const Read result = read(
      "out=o.json,dir=/d,ring=100K,on_full=drop,memory=2G,keep=1,paused=yes,follow_fork=no,"
      "export=off,quiet=true,clock=monotonic,rings=capture,log=l.txt");
  const Settings& s = result.settings;
  EXPECT_TRUE(result.problems.empty());
  EXPECT_TRUE(s.is_on);
  EXPECT_STREQ(s.out, "o.json");
  EXPECT_STREQ(s.dir, "/d");
  EXPECT_STREQ(s.log, "l.txt");
  EXPECT_EQ(s.ring_bytes, 128u * 1024);
  EXPECT_EQ(s.memory_bytes, 2ull << 30);
  EXPECT_EQ(s.on_full, OnFull::kDrop);
  EXPECT_EQ(s.clock, ClockChoice::kMonotonic);
  EXPECT_EQ(s.rings, RingPlace::kCapture);
  EXPECT_TRUE(s.keep);
  EXPECT_TRUE(s.paused);
  EXPECT_FALSE(s.follow_fork);
  EXPECT_FALSE(s.export_at_end);
  EXPECT_TRUE(s.quiet);
}

TEST(Settings, TheTableNamesExactlyTheKeysThatAreUnderstood) {
  for (const SettingInfo& row : setting_table()) {
    const std::string item = std::string(row.key) + "=definitely wrong";
    std::vector<std::string> problems;
    Settings settings;
    read_setting(item.c_str(), settings, collect, &problems);
    for (const std::string& problem : problems) {
      EXPECT_EQ(problem.find("unknown"), std::string::npos) << problem;
    }
  }
}

TEST(Settings, TheDefaultsInTheTableAreTheRealOnes) {
  for (const SettingInfo& row : setting_table()) {
    const std::string key = row.key;
    if (key == "out" || key == "format" || key == "dir" || key == "log") continue;
    Settings settings;
    settings.ring_bytes = settings.memory_bytes = 77;
    EXPECT_TRUE(read_setting((key + "=" + row.fallback).c_str(), settings, nullptr, nullptr));
    const Settings defaults;
    if (key == "ring") {
      EXPECT_EQ(settings.ring_bytes, defaults.ring_bytes);
    }
    if (key == "memory") {
      EXPECT_EQ(settings.memory_bytes, defaults.memory_bytes);
    }
    EXPECT_EQ(settings.on_full, defaults.on_full);
    EXPECT_EQ(settings.clock, defaults.clock);
    EXPECT_EQ(settings.rings, defaults.rings);
    EXPECT_EQ(settings.keep, defaults.keep);
    EXPECT_EQ(settings.paused, defaults.paused);
    EXPECT_EQ(settings.follow_fork, defaults.follow_fork);
    EXPECT_EQ(settings.export_at_end, defaults.export_at_end);
    EXPECT_EQ(settings.quiet, defaults.quiet);
  }
}

TEST(Settings, APathAndSettingsMix) {
  const Read result = read("keep=1,/tmp/x.json,ring=4M");
  EXPECT_TRUE(result.settings.keep);
  EXPECT_STREQ(result.settings.out, "/tmp/x.json");
  EXPECT_EQ(result.settings.ring_bytes, 4u << 20);
}

TEST(Settings, ABackslashKeepsAComma) {
  EXPECT_STREQ(read("/tmp/a\\,b.json,keep=1").settings.out, "/tmp/a,b.json");
  EXPECT_STREQ(read("/tmp/a\\\\,keep=1").settings.out, "/tmp/a\\");
  EXPECT_STREQ(read("/tmp/a\\b").settings.out, "/tmp/a\\b");
}

TEST(Settings, OffAmongOtherItemsKeepsThemButSwitchesOff) {
  EXPECT_FALSE(read("off,ring=4M").settings.is_on);
  EXPECT_TRUE(read("off,ring=4M,on").settings.is_on);
}

TEST(Settings, PerseidIsReadLastAndWins) {
  const Read both = read("ring=2M,keep=1", "ring=4M");
  EXPECT_EQ(both.settings.ring_bytes, 4u << 20);
  EXPECT_TRUE(both.settings.keep);
  EXPECT_FALSE(read("on", "0").settings.is_on);
  EXPECT_TRUE(read("off", "quiet=1").settings.is_on);
  EXPECT_TRUE(read("on", "").settings.is_on);
}

TEST(Settings, AnUnknownKeyIsNamedWithTheNearest) {
  EXPECT_EQ(only_problem(read("rign=4M")),
            "PERSEID: unknown setting \"rign\"; did you mean \"ring\"?");
  EXPECT_EQ(only_problem(read("kepe=1", nullptr)),
            "STARPU_TRACE_PLUGIN: unknown setting \"kepe\"; did you mean \"keep\"?");
  EXPECT_EQ(only_problem(read("telescope=1")),
            "PERSEID: unknown setting \"telescope\" is ignored; see `perseid env`");
}

TEST(Settings, ABadValueIsNamedWithWhatIsUsed) {
  EXPECT_EQ(only_problem(read("ring=12Q")),
            "PERSEID: ring=\"12Q\" is not a size such as 64K or 4M; using 1M");
  EXPECT_EQ(only_problem(read("ring=")),
            "PERSEID: ring=\"\" is not a size such as 64K or 4M; using 1M");
  EXPECT_EQ(only_problem(read("ring=2M,ring=-1")),
            "PERSEID: ring=\"-1\" is not a size such as 64K or 4M; using 2M");
  EXPECT_EQ(only_problem(read("ring=1K")), "PERSEID: ring=\"1K\" is too small; using 64K");
  EXPECT_EQ(only_problem(read("memory=2G,ring=4G")), "PERSEID: ring=\"4G\" is too large; using 1G");
  EXPECT_EQ(only_problem(read("memory=99999999999G")),
            "PERSEID: memory=\"99999999999G\" is not a size such as 64K or 4M; using 512M");
  EXPECT_EQ(only_problem(read("keep=maybe")), "PERSEID: keep=\"maybe\" is not 0 or 1; using 0");
  EXPECT_EQ(only_problem(read("on_full=dorp")),
            "PERSEID: on_full=\"dorp\" is not one of flush, drop, overwrite; using flush");
}

TEST(Settings, ABareKeyNeedsAValue) {
  const Read result = read("keep");
  EXPECT_EQ(only_problem(result), "PERSEID: keep needs a value, such as keep=1");
  EXPECT_STREQ(result.settings.out, "");
  EXPECT_EQ(only_problem(read("ring")), "PERSEID: ring needs a value, such as ring=4M");
}

TEST(Settings, RingsThatDoNotFitIntoMemoryEnlargeIt) {
  const Read result = read("ring=1G");
  EXPECT_EQ(only_problem(result),
            "PERSEID: memory=512M is too small for one ring of 1G; using memory=1G");
  EXPECT_EQ(result.settings.memory_bytes, 1ull << 30);
}

TEST(Settings, TooLongAPathIsRefusedAndTheRestIsRead) {
  const std::string value = "keep=1," + std::string(2 * PATH_MAX, 'a') + ",ring=2M";
  const Read result = read(value.c_str());
  EXPECT_NE(only_problem(result).find("too long for a path"), std::string::npos);
  EXPECT_STREQ(result.settings.out, "");
  EXPECT_EQ(result.settings.ring_bytes, 2u << 20);
}

TEST(Settings, ControlBytesDoNotReachTheReport) {
  EXPECT_EQ(only_problem(read("keep=\x1b[31m\n")),
            "PERSEID: keep=\"?[31m?\" is not 0 or 1; using 0");
}

TEST(Settings, ReadSettingReturnsWhetherItUnderstood) {
  Settings settings;
  std::vector<std::string> problems;
  EXPECT_TRUE(read_setting("ring=2M", settings, collect, &problems));
  EXPECT_TRUE(read_setting("out=a,b.json", settings, collect, &problems));
  EXPECT_STREQ(settings.out, "a,b.json");
  EXPECT_TRUE(problems.empty());
  EXPECT_FALSE(read_setting("/tmp/x", settings, collect, &problems));
  EXPECT_FALSE(read_setting("keep", settings, collect, &problems));
  EXPECT_FALSE(read_setting("ring=2X", settings, collect, &problems));
  EXPECT_EQ(problems.size(), 3u);
  EXPECT_EQ(problems.front(), "--set: \"/tmp/x\" is not key=value, such as keep=1");
}

}  // namespace
}  // namespace perseid
