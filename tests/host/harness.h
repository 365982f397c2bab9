// tests/host/harness.h: runs a program with the library inside and looks at what it left behind.
#pragma once

#include <sys/resource.h>
#include <sys/types.h>

#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace perseid::host {

#ifdef PERSEID_SANITIZED
inline constexpr bool kIsSanitized = true;
#else
inline constexpr bool kIsSanitized = false;
#endif

#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define PERSEID_THREAD_SANITIZED
#endif
#endif

/// Leaves the capture and says nothing: what most tests want.
inline constexpr char kCaptureOnly[] = "export=0,quiet=1";

struct Launch {
  std::string program;  // a name in tests/host/programs, or a path
  std::vector<std::string> args{};
  std::string settings = kCaptureOnly;  // the variable PERSEID; "": unset
  bool is_preloaded = true;
  std::vector<std::pair<std::string, std::string>> environment{};
  std::vector<std::pair<int, rlim_t>> limits{};
  std::function<void()> before_exec{};  // in the child; may _exit
  double seconds = 60;                  // then it is killed and the test fails
};

/// How a program ended, and what it said.
struct Ending {
  int exit_code = -1;  // -1: by a signal
  int signal = 0;      // 0: by exit
  bool has_timed_out = false;
  pid_t pid = 0;
  double seconds = 0;
  std::string out;
  std::string err;

  bool is_success() const noexcept { return exit_code == 0; }
  /// For the message of a failed expectation.
  std::string describe() const;
};

class Sandbox;

class Running {
 public:
  pid_t pid() const noexcept { return pid_; }
  void send(int signal) const;
  /// False once the program has ended, waited for or not.
  bool is_alive() const;
  /// True once the program has written `text` to its standard output; false after `seconds`.
  bool has_printed(const std::string& text, double seconds = 20) const;
  Ending wait();

 private:
  friend class Sandbox;
  pid_t pid_ = 0;
  double started_ = 0;
  double limit_ = 0;
  std::string out_;
  std::string err_;
};

/// A fresh working directory for the programs of one test. Its end removes the directory, and
/// the rings in /dev/shm that killed programs left.
class Sandbox {
 public:
  Sandbox();
  ~Sandbox();
  Sandbox(const Sandbox&) = delete;
  Sandbox& operator=(const Sandbox&) = delete;

  const std::string& directory() const noexcept { return directory_; }
  std::string path(const std::string& name) const { return directory_ + '/' + name; }

  Running start(const Launch& launch);
  Ending run(const Launch& launch) { return start(launch).wait(); }

  /// Everything below the working directory, relative to it and sorted.
  std::vector<std::string> files() const;
  /// Absolute paths.
  std::vector<std::string> captures() const;
  std::vector<std::string> timelines() const;

 private:
  std::string root_;
  std::string directory_;
  std::vector<pid_t> started_;
};

std::string library_path();
std::string program_path(const std::string& name);
std::string read_text(const std::string& path);
/// Ring directories in /dev/shm that belong to this process id.
std::vector<std::string> rings_in_shm(pid_t pid);
double now_seconds();
/// Asks again and again until `condition` holds; false after `seconds`.
bool eventually(const std::function<bool()>& condition, double seconds = 20);

}  // namespace perseid::host
