// tests/unit/plugin/settings/out_pattern_test.cpp: names of timelines and captures.
#include "plugin/settings/out_pattern.h"

#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <string>
#include <vector>

namespace perseid {
namespace {

void collect(void* context, const char* sentence) {
  static_cast<std::vector<std::string>*>(context)->push_back(sentence);
}

class OutPattern : public ::testing::Test {
 protected:
  OutPattern() {
    snprintf(facts_.exe, sizeof facts_.exe, "solver");
    snprintf(facts_.host, sizeof facts_.host, "node7");
    snprintf(facts_.rank, sizeof facts_.rank, "3");
    snprintf(facts_.job, sizeof facts_.job, "4711");
    facts_.pid = 99;
    facts_.start_s = 1706745599;
  }

  std::string timeline(const std::string& pattern) {
    char path[PATH_MAX];
    timeline_path(pattern.c_str(), facts_, "/here", path, collect, &problems_);
    return path;
  }

  std::string capture(const std::string& timeline, const std::string& dir = "") {
    char path[PATH_MAX];
    capture_path(timeline.c_str(), dir.c_str(), facts_, "/here", path, collect, &problems_);
    return path;
  }

  JobEnvironment facts_{};
  std::vector<std::string> problems_;
};

TEST_F(OutPattern, EveryLetterIsReplaced) {
  setenv("PERSEID_TEST_VALUE", "a/b\nc", 1);
  snprintf(facts_.array_index, sizeof facts_.array_index, "12");
  EXPECT_EQ(timeline("/o/%x.%h.%p.%r.%j.%a.%q{PERSEID_TEST_VALUE}.%%.json"),
            "/o/solver.node7.99.3.4711.12.a_b_c.%.json");
  EXPECT_EQ(timeline("/o/%t.json"), "/o/20240131-235959.json");
  EXPECT_TRUE(problems_.empty());
}

TEST_F(OutPattern, StartTimesFollowTheCalendar) {
  facts_.start_s = 0;
  EXPECT_EQ(timeline("/%t"), "/19700101-000000");
  facts_.start_s = 951782400;
  EXPECT_EQ(timeline("/%t"), "/20000229-000000");
  facts_.start_s = 4107542399;
  EXPECT_EQ(timeline("/%t"), "/21000228-235959");
  facts_.start_s = 4107542400;
  EXPECT_EQ(timeline("/%t"), "/21000301-000000");
}

TEST_F(OutPattern, TheDefaultNameHasThePartsThatExist) {
  EXPECT_EQ(timeline(""), "/here/perseid-solver-4711-3.json");
  snprintf(facts_.array_index, sizeof facts_.array_index, "5");
  EXPECT_EQ(timeline(""), "/here/perseid-solver-4711_5-3.json");
  facts_.array_index[0] = facts_.rank[0] = '\0';
  EXPECT_EQ(timeline(""), "/here/perseid-solver-4711.json");
  facts_.job[0] = '\0';
  EXPECT_EQ(timeline(""), "/here/perseid-solver-99.json");
  snprintf(facts_.rank, sizeof facts_.rank, "3");
  EXPECT_EQ(timeline(""), "/here/perseid-solver-3.json");
}

TEST_F(OutPattern, ARestartedJobGetsNamesOfItsOwn) {
  snprintf(facts_.restart, sizeof facts_.restart, "2");
  EXPECT_EQ(timeline(""), "/here/perseid-solver-4711-restart2-3.json");
  facts_.rank[0] = '\0';
  EXPECT_EQ(timeline(""), "/here/perseid-solver-4711-restart2.json");
}

TEST_F(OutPattern, LettersOfAJobAreReplaced) {
  snprintf(facts_.size, sizeof facts_.size, "8");
  snprintf(facts_.local_rank, sizeof facts_.local_rank, "1");
  snprintf(facts_.step, sizeof facts_.step, "0");
  snprintf(facts_.restart, sizeof facts_.restart, "2");
  EXPECT_EQ(timeline("/o/%J.%r.%s.%l.%n.json"), "/o/4711.0.3.8.1.2.json");
}

TEST_F(OutPattern, MoreThanAThousandRanksAreFannedOutOverDirectories) {
  snprintf(facts_.rank, sizeof facts_.rank, "999");
  snprintf(facts_.size, sizeof facts_.size, "1000");
  EXPECT_EQ(timeline(""), "/here/perseid-solver-4711-999.json");
  snprintf(facts_.size, sizeof facts_.size, "1001");
  EXPECT_EQ(timeline(""), "/here/r3/perseid-solver-4711-999.json");
  EXPECT_EQ(capture(timeline(""), ""), "/here/r3/perseid-solver-4711-999.capture");
  EXPECT_EQ(timeline("/o/run-%r.json"), "/o/r3/run-999.json");
  snprintf(facts_.local_rank, sizeof facts_.local_rank, "7");
  EXPECT_EQ(timeline("/o/%l/run-%r.json"), "/o/7/run-999.json");
}

TEST_F(OutPattern, LocalCapturesGoToTheDiskOfTheNode) {
  setenv("SLURM_TMPDIR", "/scratch/4711", 1);
  EXPECT_EQ(capture("/o/a.json", "local"), "/scratch/4711/a.capture");
  unsetenv("SLURM_TMPDIR");
  unsetenv("JOBFS");
  setenv("TMPDIR", "/local", 1);
  EXPECT_EQ(capture("/o/a.json", "local"), "/local/a.capture");
  unsetenv("TMPDIR");
  EXPECT_EQ(capture("/o/a.json", "local"), "/tmp/a.capture");
}

TEST_F(OutPattern, ALetterWithoutAValueGoesWithItsSeparator) {
  facts_.rank[0] = facts_.job[0] = '\0';
  EXPECT_EQ(timeline("/o/a-%j-%r.json"), "/o/a.json");
  EXPECT_EQ(timeline("/o/%r.json"), "/o/perseid-solver-99.json");
}

TEST_F(OutPattern, ADirectoryGetsTheDefaultName) {
  EXPECT_EQ(timeline("/no/such/place/"), "/no/such/place/perseid-solver-4711-3.json");
  EXPECT_EQ(timeline("/tmp"), "/tmp/perseid-solver-4711-3.json");
  EXPECT_EQ(timeline("."), "/here/perseid-solver-4711-3.json");
}

TEST_F(OutPattern, ARelativePatternStartsInTheWorkingDirectory) {
  EXPECT_EQ(timeline("x.json"), "/here/x.json");
  EXPECT_EQ(timeline("././/x.json"), "/here/x.json");
}

TEST_F(OutPattern, AnUnknownLetterStaysAndIsReported) {
  EXPECT_EQ(timeline("/o/%z%"), "/o/%z%");
  ASSERT_EQ(problems_.size(), 2u);
  EXPECT_EQ(problems_[0],
            "out: \"%z\" is not a pattern letter and is kept as it is; see `perseid env`");
}

TEST_F(OutPattern, AVariableThatIsNotSetIsReported) {
  unsetenv("PERSEID_TEST_UNSET");
  EXPECT_EQ(timeline("/o/a-%q{PERSEID_TEST_UNSET}.json"), "/o/a.json");
  ASSERT_EQ(problems_.size(), 1u);
  EXPECT_NE(problems_[0].find("PERSEID_TEST_UNSET"), std::string::npos);
  EXPECT_EQ(timeline("/o/%q{open"), "/o/%q{open");
}

TEST_F(OutPattern, AValueCannotLeadIntoAnotherDirectory) {
  setenv("PERSEID_TEST_VALUE", "../../etc/passwd", 1);
  EXPECT_EQ(timeline("/o/%q{PERSEID_TEST_VALUE}"), "/o/_._.._etc_passwd");
  setenv("PERSEID_TEST_VALUE", "..", 1);
  EXPECT_EQ(timeline("/o/%q{PERSEID_TEST_VALUE}/x"), "/o/_./x");
}

TEST_F(OutPattern, TooLongANameIsShortenedAndKeepsItsSuffix) {
  const std::string path = timeline("/o/" + std::string(1000, 'n') + ".json.gz");
  EXPECT_EQ(path, "/o/" + std::string(kMaxNameBytes - 8, 'n') + ".json.gz");
  ASSERT_EQ(problems_.size(), 1u);
  EXPECT_EQ(problems_[0], "out is too long for this system; using " + path);
}

TEST_F(OutPattern, TooLongAPathMovesToTmp) {
  std::string deep;
  for (int i = 0; i < 50; ++i) deep += "/" + std::string(100, 'd');
  EXPECT_EQ(timeline(deep + "/x.json"), "/tmp/x.json");
  EXPECT_EQ(capture("/o/x.json", deep), "/tmp/x.capture");
  EXPECT_EQ(problems_.size(), 2u);
  EXPECT_LT(timeline(std::string(100000, '/') + "%x").size(), size_t{PATH_MAX});
}

TEST_F(OutPattern, ACaptureLiesBesideItsTimelineOrInDir) {
  EXPECT_EQ(capture("/o/run.json"), "/o/run.capture");
  EXPECT_EQ(capture("/o/run.json.gz"), "/o/run.capture");
  EXPECT_EQ(capture("/o/run.pftrace"), "/o/run.capture");
  EXPECT_EQ(capture("/o/run"), "/o/run.capture");
  EXPECT_EQ(capture("/o/.json"), "/o/.json.capture");
  EXPECT_EQ(capture("/o/run.json", "/scratch"), "/scratch/run.capture");
  EXPECT_EQ(capture("/o/run.json", "/scratch/%j/"), "/scratch/4711/run.capture");
  EXPECT_EQ(capture("/o/run.json", "c"), "/here/c/run.capture");
}

class PatternFactsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    for (const char* name :
         {"PMIX_RANK", "OMPI_COMM_WORLD_RANK", "PMI_RANK", "MV2_COMM_WORLD_RANK", "SLURM_PROCID",
          "SLURM_NTASKS", "SLURM_STEP_ID", "SLURM_STEPID", "PALS_RANKID", "FLUX_TASK_RANK",
          "SLURM_ARRAY_JOB_ID", "SLURM_JOB_ID", "PBS_JOBID", "LSB_JOBID", "FLUX_JOB_ID",
          "SLURM_ARRAY_TASK_ID", "PBS_ARRAY_INDEX", "PBS_ARRAYID", "LSB_JOBINDEX"}) {
      unsetenv(name);
    }
  }
};

TEST_F(PatternFactsTest, KnowThisProcess) {
  const JobEnvironment facts = read_job_environment();
  EXPECT_STREQ(facts.exe, "test_unit_plugin_settings_out_pattern");
  EXPECT_EQ(facts.pid, static_cast<uint64_t>(getpid()));
  EXPECT_GT(facts.start_s, 1700000000);
  EXPECT_STRNE(facts.host, "");
  EXPECT_EQ(std::string(facts.host).find('.'), std::string::npos);
  EXPECT_STREQ(facts.rank, "");
  EXPECT_STREQ(facts.job, "");
  EXPECT_STREQ(facts.array_index, "");
}

TEST_F(PatternFactsTest, ARankOfSlurmCountsOnlyInAStepOrAmongTasks) {
  setenv("SLURM_PROCID", "0", 1);
  EXPECT_STREQ(read_job_environment().rank, "");
  setenv("SLURM_NTASKS", "1", 1);
  EXPECT_STREQ(read_job_environment().rank, "");
  setenv("SLURM_NTASKS", "4", 1);
  EXPECT_STREQ(read_job_environment().rank, "0");
  unsetenv("SLURM_NTASKS");
  setenv("SLURM_STEP_ID", "0", 1);
  EXPECT_STREQ(read_job_environment().rank, "0");
  setenv("PMIX_RANK", "5", 1);
  EXPECT_STREQ(read_job_environment().rank, "5");
}

TEST_F(PatternFactsTest, JobsOfEachBatchSystemAreKnown) {
  setenv("FLUX_JOB_ID", "f2", 1);
  EXPECT_STREQ(read_job_environment().job, "f2");
  setenv("LSB_JOBID", "31", 1);
  setenv("LSB_JOBINDEX", "0", 1);
  EXPECT_STREQ(read_job_environment().job, "31");
  EXPECT_STREQ(read_job_environment().array_index, "");
  setenv("PBS_JOBID", "21.pbs/server", 1);
  EXPECT_STREQ(read_job_environment().job, "21");
  setenv("SLURM_JOB_ID", "12", 1);
  EXPECT_STREQ(read_job_environment().job, "12");
  setenv("SLURM_ARRAY_JOB_ID", "10", 1);
  setenv("SLURM_ARRAY_TASK_ID", "2", 1);
  EXPECT_STREQ(read_job_environment().job, "10");
  EXPECT_STREQ(read_job_environment().array_index, "2");
}

}  // namespace
}  // namespace perseid
