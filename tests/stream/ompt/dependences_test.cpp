// tests/stream/ompt/dependences_test.cpp: arrows and counts of tasks with many predecessors.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/stream/ompt/ompt_stream.h"
#include "tests/stream/recording_sink.h"
#include "timeline/drawing/dependency_arrows.h"

namespace perseid::test {
namespace {

using ompt::DependenceType;
using Lines = std::vector<std::string>;

/// Enough to end a thread's stack if one were let go inside the other; a sanitizer's frames are
/// larger, and its steps slower.
#ifdef PERSEID_SANITIZED
constexpr uint64_t kMany = 20'000;
#else
constexpr uint64_t kMany = 100'000;
#endif

/// Readers of one address that end in the order of their numbers, then a task that writes it.
class FanIn {
 public:
  /// Of `readers` the one with the number `slowest`, from 0 on, ends after all others.
  explicit FanIn(uint64_t readers, uint64_t slowest = 0) {
    OmptStream main(stream_);
    main.initial(5, 1);
    for (uint64_t i = 0; i < readers; ++i) {
      cut_often(i);
      main.create(10, kFirst + i).depend(10, kFirst + i, {{DependenceType::kIn, 0xa0}});
    }
    main.create(20, kWriter).depend(20, kWriter, {{DependenceType::kInout, 0xa0}});
    for (uint64_t i = 0; i < readers; ++i) {
      cut_often(i);
      if (i != slowest) run(main, 100 + 10 * static_cast<int64_t>(i), kFirst + i);
    }
    last_begin_ns_ = 100 + 10 * static_cast<int64_t>(readers);
    run(main, last_begin_ns_, kFirst + slowest);
    run(main, last_begin_ns_ + 50, kWriter);
    capture_.write();
  }

  Reading read(const WalkOptions& options = {}) {
    Reading reading = read_capture(capture_.path(), options);
    EXPECT_EQ(reading.error, "");
    EXPECT_EQ(reading.damages, Lines{});
    return reading;
  }
  /// The line of a slice that begins then.
  static std::string line_at(const Reading& reading, int64_t begin_ns) {
    const std::string start = "main: " + std::to_string(begin_ns) + "..";
    const auto& lines = reading.sink.lines;
    const auto found = std::find_if(lines.begin(), lines.end(), [&](const std::string& line) {
      return line.starts_with(start);
    });
    return found != lines.end() ? *found : "";
  }
  std::string writer(const Reading& reading) { return line_at(reading, last_begin_ns_ + 50); }
  std::string last_reader(const Reading& reading) { return line_at(reading, last_begin_ns_); }

 private:
  static constexpr uint64_t kFirst = 1000;
  static constexpr uint64_t kWriter = 7;

  static void run(OmptStream& main, int64_t at, uint64_t task) {
    main.run(at, task).end(at + 5, task, 1);
  }

  /// A chunk has an end.
  void cut_often(uint64_t i) {
    if (i % 1000 == 0) stream_.cut();
  }

  CaptureBuilder capture_;
  StreamBuilder& stream_ = capture_.stream(1, 4242, "main");
  int64_t last_begin_ns_ = 0;
};

size_t count(const std::string& text, const std::string& part) {
  size_t found = 0;
  for (size_t at = text.find(part); at != text.npos; at = text.find(part, at + 1)) ++found;
  return found;
}

std::string outgoing(const std::string& line) { return line.substr(line.rfind("->") + 2); }

TEST(OmptDependences, TheOneThatEndedLastIsAmongTheArrows) {
  constexpr uint64_t kDrawn = DependencyArrows::kMaxIntoOne;
  for (const uint64_t slowest : {uint64_t{0}, kDrawn + 35}) {
    FanIn fan(kDrawn + 36, slowest);
    const Reading reading = fan.read();
    const std::string writer = fan.writer(reading) + " ";
    EXPECT_EQ(count(writer, "<-"), 1 + kDrawn);  // its creation, and those from readers
    EXPECT_NE(writer.find("<-" + outgoing(fan.last_reader(reading)) + " "), std::string::npos);
    EXPECT_EQ(reading.sink.fact("dependency_arrows"), std::to_string(kDrawn));
    EXPECT_EQ(reading.sink.fact("dependency_arrows_left_out"), "36") << "slowest: " << slowest;
  }
}

TEST(OmptDependences, EachOfManyPredecessorsCounts) {
  for (const uint64_t readers : {511u, 600u, 5000u}) {
    FanIn fan(readers);
    const Reading reading = fan.read();
    // Blocked until the last reader ends, 45 ns before it starts.
    EXPECT_NE(fan.writer(reading).find("queued_ns=45, depends_on=" + std::to_string(readers)),
              std::string::npos)
        << fan.writer(reading);
  }
}

TEST(OmptDependences, ReadersThatAreOverAreCountedWithoutBeingRemembered) {
  CaptureBuilder capture;
  StreamBuilder& stream = capture.stream(1, 4242, "main");
  OmptStream main(stream);
  main.initial(5, 1);
  int64_t at = 10;
  for (uint64_t i = 0; i < 3000; ++i, at += 10) {
    if (i % 1000 == 0) stream.cut();
    main.create(at, 100 + i).depend(at, 100 + i, {{DependenceType::kIn, 0xa0}});
    main.run(at + 2, 100 + i).end(at + 4, 100 + i, 1);
  }
  main.create(at, 7)
      .depend(at, 7, {{DependenceType::kInout, 0xa0}})
      .run(at + 3, 7)
      .end(at + 5, 7, 1);
  capture.write();
  const Reading reading = read_capture(capture.path());
  const std::string writer = FanIn::line_at(reading, at + 3);
  EXPECT_NE(writer.find("queued_ns=3, depends_on=3000"), std::string::npos) << writer;
}

TEST(OmptDependences, AreDrawnAsFarAsTheUserWants) {
  FanIn fan(10);
  EXPECT_EQ(count(fan.writer(fan.read()), "<-"), 1 + 10u);
  const Reading few = fan.read({.dependency_arrows = 4});
  EXPECT_EQ(count(fan.writer(few), "<-"), 1 + 4u);
  EXPECT_EQ(few.sink.fact("dependency_arrows"), "4");
  EXPECT_EQ(few.sink.fact("dependency_arrows_left_out"), "6");
  const Reading none = fan.read({.dependency_arrows = 0});
  EXPECT_EQ(count(fan.writer(none), "<-"), 1u);
  EXPECT_EQ(fan.last_reader(none).find("->"), std::string::npos);  // no start without an end
  EXPECT_EQ(none.sink.fact("dependency_arrows"), "");
}

TEST(OmptDependences, ATaskThatStartsWhenItIsCreatedTakesTheArrowItself) {
  CaptureBuilder capture;
  OmptStream(capture.stream(1, 4242, "main"))
      .initial(5, 1)
      .create(10, 7, ompt::kTaskExplicit | ompt::kTaskUndeferred)
      .run(10, 7)
      .end(20, 7, 1);
  capture.write();
  const Reading reading = read_capture(capture.path());
  EXPECT_EQ(FanIn::line_at(reading, 11),
            "main: 11..20 task {task=1, kind=undeferred, queued_ns=0} <-1");
}

TEST(OmptDependences, ALongChainThatNeverRanIsLetGo) {
  CaptureBuilder capture;
  StreamBuilder& stream = capture.stream(1, 4242, "main");
  OmptStream main(stream);
  main.initial(5, 1);
  for (uint64_t i = 0; i < 2 * kMany; ++i) {
    if (i % 1000 == 0) stream.cut();
    main.create(10, 100 + i).depend(10, 100 + i, {{DependenceType::kInout, 0xa0}});
  }
  capture.write();
  EXPECT_EQ(read_capture(capture.path()).damages, Lines{});
}

TEST(OmptDependences, TaskgroupsWithoutEndsAreLetGo) {
  CaptureBuilder capture;
  StreamBuilder& stream = capture.stream(1, 4242, "main");
  OmptStream main(stream);
  main.initial(5, 1);
  for (uint64_t i = 0; i < kMany; ++i) {
    if (i % 1000 == 0) stream.cut();
    main.sync(10, ompt::SyncKind::kTaskgroup);
  }
  capture.write();
  EXPECT_EQ(read_capture(capture.path()).damages, Lines{});
}

TEST(OmptDependences, SetsThatFollowEachOtherTakeBoundedMemory) {
  CaptureBuilder capture;
  StreamBuilder& stream = capture.stream(1, 4242, "main");
  OmptStream main(stream);
  main.initial(5, 1);
  for (uint64_t i = 0; i < 40'000; ++i) {
    if (i % 1000 == 0) stream.cut();
    const auto type = i < 20'000 ? DependenceType::kIn : DependenceType::kMutexinoutset;
    main.create(10, 100 + i).depend(10, 100 + i, {{type, 0xa0}});
  }
  capture.write();
  EXPECT_EQ(read_capture(capture.path()).damages,
            Lines{});  // 400 million dependences, 6 GB of pointers
}

}  // namespace
}  // namespace perseid::test
