// bench/openmp/traced_run.cpp: sets the variables of each tracer and measures the child.
#include "bench/openmp/traced_run.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <stdexcept>

#include "bench/options.h"

namespace perseid::bench {
namespace {

std::vector<std::string> environment(Tracer tracer, const std::string& library,
                                     const std::string& scratch, int threads) {
  std::vector<std::string> variables;
  for (char** variable = environ; *variable; ++variable) {
    const std::string_view text = *variable;
    if (!text.starts_with("OMP_") && !text.starts_with("PERSEID") && !text.starts_with("KMP_"))
      variables.emplace_back(text);
  }
  variables.push_back(fmt::format("OMP_NUM_THREADS={}", threads));
  // A thread that spins while it waits would be counted as cost.
  variables.emplace_back("OMP_WAIT_POLICY=passive");
  if (tracer == Tracer::kPerseid) {
    variables.push_back("OMP_TOOL_LIBRARIES=" + library);
    variables.push_back(fmt::format("PERSEID=export=0,quiet=1,dir={}", scratch));
  }
  return variables;
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> result;
  for (std::string& text : texts) result.push_back(text.data());
  result.push_back(nullptr);
  return result;
}

double ns_of(const timeval& time) {
  return static_cast<double>(time.tv_sec) * 1e9 + static_cast<double>(time.tv_usec) * 1e3;
}

uint64_t bytes_below(const std::string& directory) {
  uint64_t bytes = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(directory)) {
    if (entry.is_regular_file()) bytes += entry.file_size();
  }
  return bytes;
}

std::string read_all(int fd) {
  std::string text;
  char block[4096];
  for (ssize_t got; (got = read(fd, block, sizeof block)) > 0;)
    text.append(block, static_cast<size_t>(got));
  return text;
}

}  // namespace

TracedRun run_traced(Tracer tracer, const std::vector<std::string>& command,
                     const std::string& library, const std::string& scratch, int threads) {
  const ScratchDirectory directory(scratch);
  std::vector<std::string> words;
  if (tracer == Tracer::kEztrace)
    words = {"eztrace", "-t", "ompt", "-o", directory.path() + "/trace"};
  words.insert(words.end(), command.begin(), command.end());
  std::vector<std::string> variables = environment(tracer, library, directory.path(), threads);

  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) throw std::runtime_error("cannot make a pipe");
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  const auto begin = std::chrono::steady_clock::now();
  pid_t child = 0;
  const int error = posix_spawnp(&child, words[0].c_str(), &actions, nullptr,
                                 pointers(words).data(), pointers(variables).data());
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  TracedRun run;
  if (error == 0) run.output = read_all(ends[0]);
  close(ends[0]);
  if (error != 0) throw std::runtime_error("cannot run " + words[0]);
  int status = 0;
  rusage usage{};
  while (wait4(child, &status, 0, &usage) < 0 && errno == EINTR) continue;
  if (status != 0)
    throw std::runtime_error(fmt::format("{} failed, status {:#x}", words[0], status));
  run.wall_ns =
      std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - begin).count();
  run.cpu_ns = ns_of(usage.ru_utime) + ns_of(usage.ru_stime);
  run.bytes = bytes_below(directory.path());
  return run;
}

bool has_eztrace() { return std::system("command -v eztrace >/dev/null 2>&1") == 0; }

}  // namespace perseid::bench
