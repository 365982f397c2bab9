// tests/run/starpu/lives_test.cpp: tasks with unusual lives, each a program of its own that counts
// what it does; the trace must count the same.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "tests/run/starpu/traced_run.h"

namespace perseid::starpu {
namespace {

/// What must be true of every trace of every program.
void expect_sound(const TracedRun& traced) {
  EXPECT_TRUE(traced.ending.is_success()) << traced.describe();
  EXPECT_EQ(traced.captures, 1u) << traced.describe();
  EXPECT_EQ(traced.trace.find_broken_life(), "") << traced.describe();
  EXPECT_TRUE(traced.trace.damages.empty()) << traced.describe();
  EXPECT_EQ(traced.trace.lost + traced.trace.nested, 0u) << traced.describe();
  EXPECT_EQ(traced.trace.count(kSubmit), traced.trace.count(kSubmitEnd));
  EXPECT_EQ(traced.trace.count(kExecBegin), traced.trace.count(kExecEnd));
}

void expect_counts(const TracedRun& traced, size_t submissions, size_t executions) {
  expect_sound(traced);
  EXPECT_EQ(traced.trace.count(kSubmit), submissions) << traced.describe();
  EXPECT_EQ(traced.trace.count(kExecBegin), executions) << traced.describe();
}

TEST(StarpuLives, ARegeneratedTaskIsSubmittedOnceAndRunsFiveTimes) {
  const TracedRun traced = run({"regenerated"});
  expect_counts(traced, 1, 5);
  EXPECT_EQ(traced.executed, 5u);
  EXPECT_EQ(traced.trace.count(kCallbackBegin), traced.callbacks);
}

TEST(StarpuLives, ARefusedTaskIsReportedAndLeftAsItWas) {
  const TracedRun traced = run({"refused"});
  expect_counts(traced, 6, 3);
  const auto ends = traced.trace.all(kSubmitEnd);
  EXPECT_EQ(std::ranges::count_if(ends, [](const auto& r) { return r.arg != 0; }), 3);
}

TEST(StarpuLives, ASynchronousTaskRunsInsideItsSubmission) {
  const TracedRun traced = run({"synchronous"});
  expect_counts(traced, traced.submitted, traced.executed);
  for (const TraceRecord& submit : traced.trace.all(kSubmit))
    EXPECT_TRUE(low_half(submit.words[3]) & kSynchronous);
}

TEST(StarpuLives, TasksThatAreWaitedForCanBeSubmittedAgain) {
  const TracedRun traced = run({"static_tasks"});
  expect_counts(traced, 20, 20);
  std::set<uint64_t> tasks;
  for (const TraceRecord& submit : traced.trace.all(kSubmit)) tasks.insert(submit.words[0]);
  EXPECT_EQ(tasks.size(), 4u);
  const auto waits = traced.trace.all(kWaitBegin);
  EXPECT_EQ(std::ranges::count_if(
                waits, [](const auto& r) { return WaitKind{r.arg} == WaitKind::kForTask; }),
            20);
}

TEST(StarpuLives, CallbacksGetTheirArgumentsAndAreRecorded) {
  const TracedRun traced = run({"callbacks"});
  expect_counts(traced, 101, 100);
  EXPECT_EQ(traced.trace.count(kCallbackBegin), 101u);
}

TEST(StarpuLives, ProgramsPrintTheSameWithAndWithoutUs) {
  for (const char* program : {"callback_kinds", "nowhere", "transactions", "without_push"}) {
    const TracedRun untraced = run({.program = program, .settings = "", .is_preloaded = false});
    const TracedRun traced = run({program});
    EXPECT_TRUE(untraced.ending.is_success()) << program << ' ' << untraced.describe();
    EXPECT_TRUE(traced.ending.is_success()) << program << ' ' << traced.describe();
    EXPECT_EQ(traced.ending.out, untraced.ending.out) << program;
    EXPECT_EQ(traced.ending.err, untraced.ending.err) << program;
  }
}

TEST(StarpuLives, CallbacksSayWhichTheyAre) {
  const TracedRun traced = run({"callback_kinds"});
  expect_counts(traced, 20, 10);
  EXPECT_EQ(traced.trace.count(kCallbackBegin), traced.callbacks) << traced.describe();
  std::map<uint64_t, std::vector<CallbackKind>> kinds;  // of each submitted task, in order
  std::map<uint64_t, uint64_t> submission;
  for (const TraceRecord& record : traced.trace.records) {
    if (record.event == kSubmit) submission[record.words[0]] = record.ticks;
    if (record.event != kCallbackBegin) continue;
    const uint64_t which = record.words.size() > 2 ? record.words[2] : 0;
    kinds[submission.at(record.words.at(0))].push_back(static_cast<CallbackKind>(which));
  }
  EXPECT_EQ(kinds.size(), 20u);
  for (auto& [task, found] : kinds) {
    std::erase(found, CallbackKind::kBeforeRelease);  // from 1.4 on
    EXPECT_EQ(found, (std::vector{CallbackKind::kWhenReady, CallbackKind::kWhenPopped,
                                  CallbackKind::kAtEnd}));
  }
}

TEST(StarpuLives, TasksThatNoPolicyIsAskedAboutSayWhenTheyAreReady) {
  const TracedRun traced = run({"without_push"});
  expect_counts(traced, 15, 15);
  EXPECT_EQ(traced.trace.count(kPush), 0u);
  std::set<uint64_t> ready;  // tasks since their submission
  size_t executions = 0;
  for (const TraceRecord& record : traced.trace.records) {
    if (record.event == kSubmit) ready.erase(record.words[0]);
    if (record.event == kReady) ready.insert(record.words.at(0));
    if (record.event == kExecBegin) executions += ready.contains(record.words[0]) ? 1 : 0;
  }
  EXPECT_EQ(executions, 15u) << traced.describe();
  EXPECT_EQ(run({"static_tasks"}).trace.count(kReady), 0u) << "these have a kPush";
}

TEST(StarpuLives, TasksThatRunNowhereAndTagsThatAreLabelsSaySo) {
  const TracedRun traced = run({"nowhere"});
  expect_sound(traced);
  EXPECT_EQ(traced.trace.count(kExecBegin), 3u) << traced.describe();
  std::map<std::string, std::pair<uint32_t, uint64_t>> found;  // flags and tag
  constexpr uint32_t kAsked = kRunsNowhere | kHasTag | kTagIsLabel;
  for (const TraceRecord& submit : traced.trace.all(kSubmit))
    if (submit.words.size() > 6)  // StarPU's own have no data
      found[traced.trace.text(submit.arg)] = {low_half(submit.words[3]) & kAsked, submit.words[4]};
  using Found = std::pair<uint32_t, uint64_t>;
  EXPECT_EQ(found["runs"], Found(0, 0));
  EXPECT_EQ(found["told to rest"], Found(kRunsNowhere, 0));
  EXPECT_EQ(found["rests"], Found(kRunsNowhere, 0));
  EXPECT_EQ(found["labelled"], Found(kTagIsLabel, 77));
  EXPECT_EQ(found["tagged"], Found(kHasTag, 78));
}

TEST(StarpuLives, CodeletsOnTheHeapMayChangeTheirFunctions) {
  const TracedRun traced = run({"heap_codelets"});
  expect_counts(traced, 90, 90);
  std::set<uint64_t> functions;
  for (const TraceRecord& begin : traced.trace.all(kExecBegin)) functions.insert(begin.words[1]);
  EXPECT_EQ(functions.size(), 3u);
}

TEST(StarpuLives, ConstCodeletsRunAsEverAndTheirExecutionsAreRecorded) {
  for (const char* detail : {",starpu=all", ",starpu=tasks"}) {
    for (const char* how : {"detached", "synchronous"}) {
      const TracedRun traced = run({.program = "const_codelets",
                                    .args = {how},
                                    .settings = std::string(host::kCaptureOnly) + detail});
      expect_counts(traced, 40, 40);
      EXPECT_EQ(traced.ending.err, "");
      std::map<uint64_t, int> executions;
      for (const TraceRecord& begin : traced.trace.all(kExecBegin)) ++executions[begin.words[1]];
      // Two functions, one of them in two codelets.
      ASSERT_EQ(executions.size(), 2u) << traced.describe();
      EXPECT_EQ(executions.begin()->second + std::next(executions.begin())->second, 40);
      EXPECT_EQ(traced.trace.count(kPreExec) > 0, detail == std::string(",starpu=all"));
    }
  }
}

TEST(StarpuLives, SeveralThreadsSubmitAtOnce) {
  const TracedRun traced = run({"many_threads"});
  expect_counts(traced, 1000, 1000);
  std::set<size_t> streams;
  for (const TraceRecord& submit : traced.trace.all(kSubmit)) streams.insert(submit.stream);
  EXPECT_EQ(streams.size(), 4u);
}

TEST(StarpuLives, AThrottledSubmissionShowsItsWait) {
  const TracedRun traced = run({.program = "many_threads",
                                .environment = {{"STARPU_LIMIT_MAX_SUBMITTED_TASKS", "10"},
                                                {"STARPU_LIMIT_MIN_SUBMITTED_TASKS", "5"}}});
  expect_counts(traced, 1000, 1000);
  std::map<size_t, int> open_submissions;  // by stream
  size_t throttled = 0;
  for (const TraceRecord& record : traced.trace.records) {
    if (record.event == kSubmit) ++open_submissions[record.stream];
    if (record.event == kSubmitEnd) --open_submissions[record.stream];
    if (record.event == kWaitBegin && WaitKind{record.arg} == WaitKind::kForSubmitted &&
        open_submissions[record.stream] > 0)
      ++throttled;
  }
  EXPECT_GT(throttled, 0u) << traced.describe();
}

TEST(StarpuLives, StarpuMayComeAndGo) {
  const TracedRun traced = run({"several_inits"});
  expect_counts(traced, 60, 60);
  EXPECT_EQ(traced.trace.count(kInitEnd), 3u);
  EXPECT_EQ(traced.trace.count(kShutdownEnd), 3u);
  const size_t workers = traced.trace.count(kWorker) / 3;
  EXPECT_GE(workers, 1u);
  EXPECT_EQ(traced.trace.count(kWorker), 3 * workers);
}

TEST(StarpuLives, AProgramMayExitWithoutShutdown) {
  const TracedRun traced = run({"exits_early"});
  expect_counts(traced, 50, 50);
  EXPECT_EQ(traced.trace.count(kShutdownBegin), 0u);
}

TEST(StarpuLives, FunctionsInFieldsOfLongAgoAreSeen) {
  expect_counts(run({"old_fields"}), 20, 20);
  expect_counts(run({.program = "old_fields", .settings = "export=0,quiet=1,starpu=tasks"}), 20,
                20);
}

TEST(StarpuLives, AKernelThatTheProgramCallsItselfIsNoExecution) {
  const TracedRun traced = run({"direct_calls"});
  expect_counts(traced, 10, 10);
  EXPECT_EQ(traced.executed, 15u);
}

TEST(StarpuLives, ContextsWithTheirOwnPoliciesAreTraced) {
  const TracedRun traced = run({"contexts"});
  expect_counts(traced, 40, 40);
  EXPECT_EQ(traced.trace.count(kPush), 40u);
  std::set<std::string> policies;
  for (const TraceRecord& context : traced.trace.all(kContext))
    policies.insert(traced.trace.text(static_cast<uint32_t>(context.words[0])));
  for (const char* policy : {"eager", "prio", "lws", "dmda"})
    EXPECT_TRUE(policies.contains(policy)) << policy;
}

TEST(StarpuLives, EveryWorkerOfAParallelTaskShows) {
  const TracedRun traced = run({.program = "parallel", .environment = {{"STARPU_NCPU", "2"}}});
  expect_sound(traced);
  EXPECT_EQ(traced.trace.count(kSubmit), 10u);
  EXPECT_EQ(traced.trace.count(kExecBegin), traced.executed);
  // Five tasks with a function on both workers, five with one worker that only takes part.
  EXPECT_EQ(traced.executed, 15u);
  EXPECT_EQ(traced.trace.count(kPreExec), 20u) << traced.describe();
  EXPECT_EQ(traced.trace.count(kPostExec), 20u) << traced.describe();
}

TEST(StarpuLives, TasksAloneLeaveSchedulingAndDataOut) {
  const TracedRun traced =
      run({.program = "annotated_data", .settings = "export=0,quiet=1,starpu=tasks"});
  expect_sound(traced);
  EXPECT_EQ(traced.trace.count(kExecBegin), traced.executed);
  for (const Event event : {kPush, kPop, kPreExec, kTaskClean, kDataRegister, kCallbackBegin})
    EXPECT_EQ(traced.trace.count(event), 0u) << int{event};
}

}  // namespace
}  // namespace perseid::starpu
