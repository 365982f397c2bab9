// tests/host/harness.cpp: fork, exec and limits of the program under test.
#include "tests/host/harness.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <thread>

namespace perseid::host {

namespace fs = std::filesystem;

namespace {

/// Directories from before belong to an earlier process with the same id.
const fs::file_time_type g_began =
    fs::file_time_type::clock::now() - std::chrono::milliseconds(10);  // files have a coarse clock

constexpr auto kPollTime = std::chrono::milliseconds(2);

/// The caller's environment without anything that would steer the library.
std::vector<std::string> clean_environment() {
  std::vector<std::string> result;
  for (char** entry = environ; *entry; ++entry) {
    const std::string_view text = *entry;
    const std::string_view name = text.substr(0, text.find('='));
    if (!name.starts_with("PERSEID") && name != "STARPU_TRACE_PLUGIN" && name != "LD_PRELOAD" &&
        !name.starts_with("SLURM_") && !name.ends_with("SAN_OPTIONS"))
      result.emplace_back(text);
  }
  // An instrumented library enters by LD_PRELOAD, that is before its runtime; the programs are
  // killed and forked at will, so leaks are looked for in the unit tests alone.
  result.emplace_back(
      "ASAN_OPTIONS=verify_asan_link_order=0:detect_leaks=0:handle_segv=0:handle_abort=0");
  result.emplace_back("UBSAN_OPTIONS=print_stacktrace=1");
  result.emplace_back(
      "TSAN_OPTIONS=handle_segv=0:handle_abort=0:die_after_fork=0:atexit_sleep_ms=0");
  return result;
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> result;
  for (std::string& text : texts) result.push_back(text.data());
  result.push_back(nullptr);
  return result;
}

void redirect(const std::string& path, int descriptor) {
  const int fd = open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
  if (fd < 0 || dup2(fd, descriptor) < 0) _exit(125);
  if (fd != descriptor) close(fd);
}

/// What the manifest of a capture names as the directory of its rings.
std::string ring_directory(const std::string& capture) {
  std::ifstream manifest(capture + "/manifest");
  for (std::string line; std::getline(manifest, line);)
    if (line.starts_with("rings ")) return line.substr(6);
  return "";
}

std::vector<std::string> find_suffix(const std::string& directory, std::string_view suffix) {
  std::vector<std::string> found;
  for (const auto& entry : fs::recursive_directory_iterator(directory))
    if (entry.path().native().ends_with(suffix)) found.push_back(entry.path());
  std::ranges::sort(found);
  return found;
}

}  // namespace

std::string Ending::describe() const {
  std::ostringstream text;
  text << (has_timed_out ? "timed out, " : "") << "exit code " << exit_code << ", signal " << signal
       << ", " << seconds << " s\nstdout: " << out.substr(0, 4000)
       << "\nstderr: " << err.substr(0, 8000);
  return text.str();
}

void Running::send(int signal) const { kill(pid_, signal); }

bool Running::is_alive() const {
  siginfo_t info{};
  return waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
         info.si_pid == 0;
}

bool Running::has_printed(const std::string& text, double seconds) const {
  return eventually([&] { return read_text(out_).find(text) != std::string::npos; }, seconds);
}

Ending Running::wait() {
  Ending ending;
  ending.pid = pid_;
  int status = 0;
  while (waitpid(pid_, &status, WNOHANG) == 0) {
    if (now_seconds() - started_ > limit_ && !ending.has_timed_out) {
      ending.has_timed_out = true;
      kill(pid_, SIGKILL);
    }
    std::this_thread::sleep_for(kPollTime);
  }
  ending.seconds = now_seconds() - started_;
  if (WIFEXITED(status)) ending.exit_code = WEXITSTATUS(status);
  if (WIFSIGNALED(status)) ending.signal = WTERMSIG(status);
  ending.out = read_text(out_);
  ending.err = read_text(err_);
  return ending;
}

Sandbox::Sandbox() {
  std::string name = (fs::temp_directory_path() / "perseid-host-XXXXXX").string();
  if (!mkdtemp(name.data())) throw std::runtime_error("mkdtemp " + name);
  root_ = name;
  directory_ = root_ + "/work";
  fs::create_directory(directory_);
}

Sandbox::~Sandbox() {
  std::error_code ignored;
  for (const std::string& capture : captures()) {
    const std::string rings = ring_directory(capture);
    if (rings.starts_with("/dev/shm/perseid-")) fs::remove_all(rings, ignored);
  }
  for (const pid_t pid : started_)
    for (const std::string& rings : rings_in_shm(pid)) fs::remove_all(rings, ignored);
  fs::remove_all(root_, ignored);
}

Running Sandbox::start(const Launch& launch) {
  const std::string number = std::to_string(started_.size());
  std::vector<std::string> words{program_path(launch.program)};
  words.insert(words.end(), launch.args.begin(), launch.args.end());
  std::vector<std::string> environment = clean_environment();
  if (!launch.settings.empty()) environment.push_back("PERSEID=" + launch.settings);
  if (launch.is_preloaded) environment.push_back("LD_PRELOAD=" + library_path());
  for (const auto& [key, value] : launch.environment) environment.push_back(key + '=' + value);
  const std::vector<char*> argv = pointers(words);
  const std::vector<char*> envp = pointers(environment);

  Running running;
  running.out_ = root_ + "/stdout." + number;
  running.err_ = root_ + "/stderr." + number;
  running.started_ = now_seconds();
  running.limit_ = launch.seconds;
  running.pid_ = fork();
  if (running.pid_ < 0) throw std::runtime_error("fork failed");
  if (running.pid_ == 0) {
    redirect("/dev/null", STDIN_FILENO);
    redirect(running.out_, STDOUT_FILENO);
    redirect(running.err_, STDERR_FILENO);
    if (chdir(directory_.c_str()) != 0) _exit(125);
    close_range(STDERR_FILENO + 1, ~0u, 0);  // nothing of the tests' own surroundings
    if (launch.before_exec) launch.before_exec();
    for (const auto& [resource, value] : launch.limits) {
      const rlimit limit{value, value};
      if (setrlimit(static_cast<__rlimit_resource>(resource), &limit) != 0) _exit(125);
    }
    execve(argv[0], argv.data(), envp.data());
    _exit(126);
  }
  started_.push_back(running.pid_);
  return running;
}

std::vector<std::string> Sandbox::files() const {
  std::vector<std::string> found;
  for (const auto& entry : fs::recursive_directory_iterator(directory_))
    found.push_back(fs::relative(entry.path(), directory_));
  std::ranges::sort(found);
  return found;
}

std::vector<std::string> Sandbox::captures() const { return find_suffix(root_, ".capture"); }
std::vector<std::string> Sandbox::timelines() const { return find_suffix(root_, ".json"); }

std::string library_path() { return PERSEID_LIBRARY; }

std::string program_path(const std::string& name) {
  return name.find('/') == std::string::npos ? PERSEID_HOST_PROGRAMS "/" + name : name;
}

std::string read_text(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

std::vector<std::string> rings_in_shm(pid_t pid) {
  const std::string prefix =
      "/dev/shm/perseid-" + std::to_string(getuid()) + '-' + std::to_string(pid) + '-';
  std::vector<std::string> found;
  for (const auto& entry : fs::directory_iterator("/dev/shm")) {
    std::error_code is_gone;
    if (entry.path().native().starts_with(prefix) && entry.last_write_time(is_gone) >= g_began &&
        !is_gone)
      found.push_back(entry.path());
  }
  return found;
}

double now_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

bool eventually(const std::function<bool()>& condition, double seconds) {
  const double give_up = now_seconds() + seconds;
  while (!condition()) {
    if (now_seconds() > give_up) return false;
    std::this_thread::sleep_for(kPollTime);
  }
  return true;
}

}  // namespace perseid::host
