// tests/unit/capture/recorder_life_test.cpp: does the process that records still run?
#include "capture/recorder_life.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <iterator>

#include "capture/process_stat.h"
#include "tests/stream/fabricate.h"

namespace perseid {
namespace {

using test::CaptureBuilder;

std::string text_of(const std::string& path) {
  std::ifstream file(path);
  std::string text((std::istreambuf_iterator<char>(file)), {});
  while (text.ends_with('\n')) text.pop_back();
  return text;
}

uint64_t start_of(pid_t pid) {
  return parse_process_stat(text_of(fmt::format("/proc/{}/stat", pid)).c_str()).start_ticks;
}

/// A process that does nothing until it is told to end.
class Sleeper {
 public:
  Sleeper() : pid_(fork()) {
    if (pid_ == 0)
      for (;;) pause();
    start_ = start_of(pid_);
  }
  ~Sleeper() { end(); }
  void kill_only() const { kill(pid_, SIGKILL); }
  void end() {
    if (pid_ <= 0) return;
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
    pid_ = -1;
  }
  pid_t pid() const { return pid_; }
  uint64_t start() const { return start_; }

 private:
  pid_t pid_;
  uint64_t start_;
};

/// As the recorder leaves it behind when it is killed.
void describe(CaptureBuilder& capture, pid_t pid, uint64_t start) {
  struct stat space {};
  ASSERT_EQ(stat("/proc/self/ns/pid", &space), 0);
  capture.end = SessionEnd::kRunning;
  capture.pid = static_cast<uint32_t>(pid);
  capture.manifest["boot_id"] = text_of("/proc/sys/kernel/random/boot_id");
  capture.manifest["pid_namespace"] = std::to_string(space.st_ino);
  capture.manifest["start_time"] = std::to_string(start);
}

RecorderLife life_with(const char* key, const std::string& value, pid_t pid, uint64_t start) {
  CaptureBuilder capture;
  describe(capture, pid, start);
  if (key != nullptr) capture.manifest[key] = value;
  capture.write();
  return recorder_life(capture.path());
}

TEST(RecorderLife, AWrittenEndIsTheEnd) {
  CaptureBuilder capture;
  capture.write();
  EXPECT_EQ(recorder_life(capture.path()), RecorderLife::kEnded);
}

TEST(RecorderLife, AProcessThatIsThereIsAliveAlsoWithoutItsLock) {
  const Sleeper sleeper;
  EXPECT_EQ(life_with(nullptr, "", sleeper.pid(), sleeper.start()), RecorderLife::kAlive);
}

TEST(RecorderLife, AProcessThatIsNotThereIsGone) {
  Sleeper sleeper;
  const pid_t pid = sleeper.pid();
  sleeper.end();
  EXPECT_EQ(life_with(nullptr, "", pid, sleeper.start()), RecorderLife::kGone);
}

TEST(RecorderLife, AKilledProcessThatNobodyWaitedForIsGone) {
  const Sleeper sleeper;
  sleeper.kill_only();
  siginfo_t info;
  ASSERT_EQ(waitid(P_PID, static_cast<id_t>(sleeper.pid()), &info, WEXITED | WNOWAIT), 0);
  EXPECT_EQ(life_with(nullptr, "", sleeper.pid(), sleeper.start()), RecorderLife::kGone);
}

TEST(RecorderLife, ALaterProcessOfTheSameNumberIsNotTheRecorder) {
  const Sleeper sleeper;
  EXPECT_EQ(life_with(nullptr, "", sleeper.pid(), sleeper.start() + 1), RecorderLife::kGone);
}

TEST(RecorderLife, FromAnotherBootOrNamespaceNothingIsKnown) {
  Sleeper sleeper;
  const pid_t pid = sleeper.pid();
  sleeper.end();
  for (const char* const key : {"boot_id", "pid_namespace", "start_time"}) {
    EXPECT_EQ(life_with(key, "0", pid, sleeper.start()), RecorderLife::kUnknown) << key;
  }
  EXPECT_TRUE(may_be_recorded(RecorderLife::kUnknown));
}

TEST(RecorderLife, AHeldLockIsLifeWhateverElseIsWritten) {
  CaptureBuilder capture;
  describe(capture, 4242, 1);
  capture.manifest["boot_id"] = "another";
  capture.write();
  EXPECT_EQ(recorder_life(capture.path()), RecorderLife::kUnknown);
  int ready[2];
  ASSERT_EQ(pipe(ready), 0);
  const pid_t holder = fork();
  if (holder == 0) {
    struct flock lock = {};
    lock.l_type = F_WRLCK;
    lock.l_whence = SEEK_SET;
    const int fd = open(capture.file("state").c_str(), O_RDWR);
    const bool is_held = fcntl(fd, F_SETLK, &lock) == 0;
    [[maybe_unused]] const ssize_t written = write(ready[1], &is_held, 1);
    for (;;) pause();
  }
  bool is_held = false;
  ASSERT_EQ(read(ready[0], &is_held, 1), 1);
  ASSERT_TRUE(is_held);
  EXPECT_EQ(recorder_life(capture.path()), RecorderLife::kAlive);
  kill(holder, SIGKILL);
  waitpid(holder, nullptr, 0);
  EXPECT_EQ(recorder_life(capture.path()), RecorderLife::kUnknown);
}

TEST(ProcessStat, ReadsAfterANameWithAnyBytes) {
  const ProcessStat found =
      parse_process_stat("77 (a) R (b) Z 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 1 0 4711 99 ...");
  EXPECT_EQ(found.state, 'Z');
  EXPECT_EQ(found.threads, 1u);
  EXPECT_EQ(found.start_ticks, 4711u);
  EXPECT_TRUE(found.is_dead());
  EXPECT_EQ(parse_process_stat("").state, 0);
  EXPECT_EQ(parse_process_stat("77 (cut) S 1 2").state, 0);
}

}  // namespace
}  // namespace perseid
