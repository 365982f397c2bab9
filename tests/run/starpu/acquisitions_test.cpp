// tests/run/starpu/acquisitions_test.cpp: data that a program takes without a task has its records.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "tests/run/starpu/traced_run.h"

namespace perseid::starpu {
namespace {

class StarpuAcquisitions : public testing::Test {
 protected:
  static void SetUpTestSuite() { traced_ = new TracedRun(run({"acquisitions"})); }
  static void TearDownTestSuite() { delete traced_; }
  static const StarpuTrace& trace() { return traced_->trace; }

  static uint64_t handle(const std::string& name) {
    for (const TraceRecord& named : trace().all(kDataName))
      if (trace().text(named.arg) == name) return named.words.at(0);
    ADD_FAILURE() << "no data is called " << name;
    return 0;
  }

  /// The modes of the records of this kind that are about the data called `name`, in order.
  static std::vector<uint64_t> modes(Event event, const std::string& name) {
    std::vector<uint64_t> found;
    for (const TraceRecord& record : trace().all(event)) {
      const bool is_other_wait = event == kWaitBegin && WaitKind{record.arg} != WaitKind::kForData;
      if (record.words.at(0) == handle(name) && !is_other_wait) found.push_back(record.words.at(1));
    }
    return found;
  }

  static size_t releases(const std::string& name) {
    const auto all = trace().all(kRelease);
    return static_cast<size_t>(std::ranges::count_if(
        all, [&](const TraceRecord& release) { return release.words.at(0) == handle(name); }));
  }

  static inline TracedRun* traced_ = nullptr;
};

using Modes = std::vector<uint64_t>;

TEST_F(StarpuAcquisitions, LeaveTheProgramAsItIs) {
  const TracedRun untraced =
      run({.program = "acquisitions", .settings = "", .is_preloaded = false});
  EXPECT_TRUE(traced_->ending.is_success()) << traced_->describe();
  EXPECT_EQ(traced_->ending.out, untraced.ending.out);
  EXPECT_EQ(trace().find_broken_life(), "") << traced_->describe();
}

TEST_F(StarpuAcquisitions, WithoutWaitingHaveOneRecordEach) {
  EXPECT_EQ(modes(kAcquire, "read with a callback"), Modes{kRead});
  EXPECT_EQ(modes(kAcquire, "written on a node"), Modes{kRead | kWrite});
  EXPECT_EQ(releases("read with a callback"), 1u);
  EXPECT_EQ(releases("written on a node"), 1u);
}

TEST_F(StarpuAcquisitions, WithoutOrderSaySo) {
  EXPECT_EQ(modes(kAcquire, "without order by the call"), Modes{kRead | kWrite | kNotOrdered});
  EXPECT_EQ(modes(kAcquire, "without order by the data"), Modes{kRead | kNotOrdered});
  EXPECT_EQ(modes(kWaitBegin, "without order by the data"), Modes{kRead | kNotOrdered});
  EXPECT_EQ(modes(kWaitBegin, "tried"), Modes{kRead | kNotOrdered});
}

TEST_F(StarpuAcquisitions, ThatStarpuMakesForARequestAreThere) {
  const Modes found = modes(kAcquire, "invalidated");
  ASSERT_GE(found.size(), 2u) << "invalidated, unregistered; then another may have its address";
  EXPECT_EQ(found[0], kWrite);
  EXPECT_EQ(found[1], kWrite);
  EXPECT_GE(releases("invalidated"), 2u);
}

TEST_F(StarpuAcquisitions, ThatEndInStepsSayWhatIsKept) {
  std::vector<std::vector<uint64_t>> found;
  for (const TraceRecord& release : trace().all(kRelease))
    if (release.words.at(0) == handle("kept for reading")) found.push_back(release.words);
  ASSERT_FALSE(found.empty());
  EXPECT_EQ(found.back(), Modes{handle("kept for reading")});
  // StarPU can do it from 1.4 on.
  if (found.size() > 1) {
    EXPECT_EQ(found[0], (Modes{handle("kept for reading"), kRead}));
  }
  EXPECT_LE(found.size(), 2u);
}

TEST_F(StarpuAcquisitions, ComeBetweenTheTasksThatWereSubmittedAroundThem) {
  std::vector<Event> order;
  for (const TraceRecord& record : trace().records) {
    const bool is_task = record.event == kSubmit && record.words.size() > 6 &&
                         record.words[6] == handle("read with a callback");
    const bool is_acquisition =
        record.event == kAcquire && record.words[0] == handle("read with a callback");
    if (is_task || is_acquisition) order.push_back(record.event);
  }
  EXPECT_EQ(order, (std::vector<Event>{kSubmit, kAcquire, kSubmit}));
}

TEST_F(StarpuAcquisitions, PartsAreTakenBackAfterTheirLastAccess) {
  const uint64_t whole = handle("cut up");
  std::set<uint64_t> parts;
  bool is_taken_back = false;
  size_t accesses = 0;
  for (const TraceRecord& record : trace().records) {
    if (record.event == kDataPartition && record.words.at(0) == whole) {
      if (record.arg == 2) is_taken_back = true;
      for (size_t i = 1; i + 2 < record.words.size(); i += 3) parts.insert(record.words[i]);
    }
    size_t first = 0;
    if (record.event == kSubmit)
      first = 6;
    else if (record.event != kAcquire)
      continue;
    for (size_t i = first; i < record.words.size(); i += 2) {
      if (!parts.contains(record.words[i])) continue;
      EXPECT_FALSE(is_taken_back);
      ++accesses;
    }
  }
  EXPECT_TRUE(is_taken_back);
  // Of each part: partition, its task, unpartition, invalidate, unregister.
  EXPECT_EQ(accesses, 2u * 5) << traced_->describe();
}

}  // namespace
}  // namespace perseid::starpu
