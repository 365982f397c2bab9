// tests/run/starpu/records_test.cpp: what the records of a real program hold.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <map>
#include <set>

#include "tests/run/starpu/traced_run.h"

namespace perseid::starpu {
namespace {

class StarpuRecords : public testing::Test {
 protected:
  static void SetUpTestSuite() { traced_ = new TracedRun(run({"annotated_data"})); }
  static void TearDownTestSuite() { delete traced_; }
  const StarpuTrace& trace() const { return traced_->trace; }

  /// The only record of this kind.
  TraceRecord only(Event event) const {
    const auto found = trace().all(event);
    EXPECT_EQ(found.size(), 1u) << traced_->describe();
    return found.empty() ? TraceRecord{} : found.front();
  }

  uint64_t named_handle() const { return only(kDataName).words.at(0); }

  static inline TracedRun* traced_ = nullptr;
};

TEST_F(StarpuRecords, DataHasItsSizeNameAndCoordinates) {
  const TraceRecord registered = only(kDataRegister);
  EXPECT_EQ(registered.words.at(1), 64 * sizeof(float));
  EXPECT_NE(registered.words.at(2), 0u);
  EXPECT_EQ(trace().text(only(kDataName).arg), "values");
  EXPECT_EQ(named_handle(), registered.words.at(0));
  EXPECT_EQ(only(kDataCoordinates).words, (std::vector<uint64_t>{registered.words.at(0), 3, 4}));
}

TEST_F(StarpuRecords, ASubmissionHasTheFieldsOfItsTask) {
  const auto submits = trace().all(kSubmit);
  const auto found = std::ranges::find_if(submits, [&](const TraceRecord& submit) {
    return trace().text(submit.arg) == "scale" && submit.words.size() > 6 &&
           submit.words[6] == named_handle();
  });
  ASSERT_NE(found, submits.end()) << traced_->describe();
  EXPECT_EQ(low_half(found->words[2]), 2u) << "priority";
  EXPECT_EQ(high_half(found->words[2]), 0u) << "context";
  EXPECT_EQ(high_half(found->words[3]), UINT32_MAX) << "any worker";
  EXPECT_EQ(std::bit_cast<double>(found->words[5]), 12.5);
  EXPECT_EQ(access_mode(found->words[7]), kRead | kWrite);
  EXPECT_EQ(access_bytes(found->words[7]), 64 * sizeof(float));
}

TEST_F(StarpuRecords, PartsAreKnownWithTheirWhole) {
  const auto partitions = trace().all(kDataPartition);
  ASSERT_EQ(partitions.size(), 2u) << traced_->describe();
  EXPECT_EQ(partitions[0].words.size(), 1u + 4 * 3);
  EXPECT_EQ(partitions[0].words[0], named_handle());
  EXPECT_EQ(partitions[0].words[2], 16 * sizeof(float));
  EXPECT_EQ(partitions[1].arg, 2u);
}

TEST_F(StarpuRecords, DependenciesThatTheProgramStatesAreThere) {
  EXPECT_EQ(only(kTagDeps).words, (std::vector<uint64_t>{2, 1}));
  EXPECT_EQ(only(kTaskDeps).words.size(), 2u);
  const auto submits = trace().all(kSubmit);
  EXPECT_EQ(std::ranges::count_if(
                submits, [](const auto& r) { return (low_half(r.words[3]) & kHasTag) != 0; }),
            4);
}

TEST_F(StarpuRecords, MarksOfTheProgramAreThere) {
  EXPECT_EQ(only(kUserEvent).words.at(0), 42u);
  EXPECT_EQ(trace().text(only(kUserText).arg), "half way");
  EXPECT_EQ(only(kIterationPush).words.at(0), 7u);
  EXPECT_EQ(trace().count(kIterationPop), 1u);
}

TEST_F(StarpuRecords, WaitsRecordTheirReason) {
  std::set<WaitKind> kinds;
  for (const TraceRecord& wait : trace().all(kWaitBegin)) kinds.insert(WaitKind{wait.arg});
  for (const WaitKind kind : {WaitKind::kForAll, WaitKind::kForTag, WaitKind::kForData,
                              WaitKind::kForUnpartition, WaitKind::kForUnregister})
    EXPECT_TRUE(kinds.contains(kind)) << static_cast<uint32_t>(kind);
}

TEST_F(StarpuRecords, TheFirstPopAfterWorkHasItsBegin) {
  std::map<uint32_t, bool> is_idle;  // by worker
  size_t timed = 0;
  for (const TraceRecord& record : trace().records) {
    if (record.event != kPop && record.event != kIdle) continue;
    const bool is_pop = record.event == kPop;
    const size_t at = is_pop ? 1 : 0;
    const uint64_t ticks = at < record.words.size() ? pop_ticks(record.words[at]) : 0;
    EXPECT_EQ(ticks != 0, !is_idle[record.arg]) << "worker " << record.arg;
    EXPECT_LT(ticks, record.ticks);
    is_idle[record.arg] = !is_pop;
    timed += ticks != 0 ? 1 : 0;
  }
  EXPECT_GT(timed, 0u);
}

TEST_F(StarpuRecords, WorkersHaveNamesAndThreads) {
  const auto workers = trace().all(kWorker);
  ASSERT_FALSE(workers.empty());
  for (const TraceRecord& worker : workers) {
    EXPECT_NE(trace().text(low_half(worker.words.at(0))).find("CPU"), std::string::npos);
    EXPECT_EQ(Architecture{high_half(worker.words.at(0))}, Architecture::kCpu);
  }
  for (const TraceRecord& thread : trace().all(kWorkerThread))
    EXPECT_LT(thread.arg, workers.size());
}

TEST_F(StarpuRecords, TheFunctionOfAnExecutionIsInAFile) {
  std::set<uint64_t> known;
  for (const TraceRecord& function : trace().all(kFunction)) {
    known.insert(function.words.at(0));
    EXPECT_NE(function.words.at(1), 0u);
    EXPECT_LT(function.words.at(2), function.words.at(0));
  }
  for (const TraceRecord& begin : trace().all(kExecBegin))
    EXPECT_TRUE(known.contains(begin.words.at(1)));
}

TEST_F(StarpuRecords, TasksOfATransactionHaveTheAccessThatStarpuAdds) {
  const TracedRun traced = run({"transactions"});
  EXPECT_EQ(traced.trace.find_broken_life(), "") << traced.describe();
  const auto steps = traced.trace.all(kTransaction);
  if (traced.submitted == 0) return;  // a StarPU without transactions
  ASSERT_EQ(steps.size(), 3u) << traced.describe();
  const uint64_t hidden = steps[0].words.at(1);
  EXPECT_EQ(traced.trace.all(kDataRegister).front().words.at(0), hidden);
  size_t found = 0;
  for (const TraceRecord& submit : traced.trace.all(kSubmit)) {
    if ((low_half(submit.words[3]) & kInTransaction) == 0) continue;
    ++found;
    ASSERT_EQ(submit.words.size(), 8u);
    EXPECT_EQ(submit.words[6], hidden);
    EXPECT_EQ(access_mode(submit.words[7]), kRead);
  }
  EXPECT_EQ(found, traced.submitted);
}

TEST(StarpuDevice, CopiesToAndFromAnOpenclDeviceAreFollowedToTheirEnd) {
  const TracedRun traced = run({.program = "scales_on_device",
                                .environment = {{"STARPU_OPENCL_ON_CPUS", "1"},
                                                {"STARPU_NOPENCL", "1"},
                                                {"STARPU_NCPU", "0"},
                                                {"STARPU_HOME", PERSEID_STARPU_DEVICE_HOME}}});
  ASSERT_TRUE(traced.ending.is_success()) << traced.describe();
  const StarpuTrace& trace = traced.trace;
  EXPECT_EQ(trace.find_broken_life(), "") << traced.describe();
  const auto begins = trace.all(kCopyBegin);
  ASSERT_EQ(begins.size(), 2u) << traced.describe();
  constexpr uint64_t kBytes = 1024 * sizeof(float);
  EXPECT_EQ(begins[0].arg, 1u << 16) << "to the device";
  EXPECT_EQ(begins[1].arg, 1u) << "and back";
  for (const TraceRecord& begin : begins) EXPECT_EQ(begin.words.at(0), kBytes);
  for (const TraceRecord& end : trace.all(kCopyEnd))
    EXPECT_EQ(static_cast<int32_t>(end.arg), -EAGAIN);
  std::set<uint64_t> started, done;
  for (const TraceRecord& part : trace.all(kCopyStarted)) started.insert(part.words.at(0));
  for (const TraceRecord& part : trace.all(kCopyDone)) done.insert(part.words.at(0));
  EXPECT_EQ(started.size(), 2u);
  EXPECT_EQ(started, done);

  const auto addresses = trace.all(kDataAddress);
  ASSERT_FALSE(addresses.empty());
  EXPECT_EQ(begins[0].words.at(1), addresses[0].words.at(1)) << "the copy starts at the data";
  EXPECT_EQ(trace.count(kAllocate), trace.count(kFree));

  const auto executions = trace.all(kExecBegin);
  ASSERT_EQ(executions.size(), 1u);
  EXPECT_TRUE(high_half(executions[0].words.at(2)) & kExecAsync);
  EXPECT_EQ(trace.count(kPostExec), 1u);
}

}  // namespace
}  // namespace perseid::starpu
