// bench/starpu_bench.cpp: what tracing costs a StarPU program, per task.
//
// StarPU's own examples run untraced, traced with tasks only, and traced with everything, in rounds
// and in a new random order each round. What counts is the CPU time of the whole process, with all
// its threads and until its capture is on disk. A run with hardly any task is measured next to each
// one and taken off, so that what is paid once is not divided among tasks.
#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "bench/machine.h"
#include "bench/options.h"
#include "bench/statistics.h"
#include "bench/table.h"

namespace perseid::bench {
namespace {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;

struct Program {
  std::string title;
  Words command;    // the tasks that are measured
  Words few_tasks;  // the same program with nearly nothing to do
  double tasks;     // that `command` has more than `few_tasks`
  std::string workers;
};

struct Mode {
  std::string name;
  std::string settings;  // "": untraced
};

const std::vector<Mode> kModes = {
    {"untraced", ""},
    {"tasks only", "export=0,quiet=1,starpu=tasks"},
    {"everything", "export=0,quiet=1"},
};

double seconds_of(const timeval& time) {
  return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
}

/// Runs it to its end, silently. Its CPU time in seconds.
double run(const Words& command, const Words& variables, const std::string& directory) {
  Words environment = variables;
  for (char** variable = environ; *variable; ++variable) environment.emplace_back(*variable);
  const auto pointers = [](const Words& words) {
    std::vector<char*> result;
    for (const std::string& word : words) result.push_back(const_cast<char*>(word.c_str()));
    result.push_back(nullptr);
    return result;
  };
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_addchdir_np(&actions, directory.c_str());
  pid_t child = 0;
  const int error = posix_spawn(&child, command[0].c_str(), &actions, nullptr,
                                pointers(command).data(), pointers(environment).data());
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0)
    throw std::runtime_error(fmt::format("cannot run {}: {}", command[0], std::strerror(error)));
  int status = 0;
  rusage used{};
  while (wait4(child, &status, 0, &used) < 0 && errno == EINTR) continue;
  if (status != 0)
    throw std::runtime_error(fmt::format("{} failed, status {:#x}", command[0], status));
  return seconds_of(used.ru_utime) + seconds_of(used.ru_stime);
}

double run_in_mode(const Program& program, const Words& command, const Mode& mode,
                   const std::string& directory) {
  Words variables = {"STARPU_SILENT=1", "STARPU_NCPU=" + program.workers};
  if (!mode.settings.empty()) {
    variables.push_back("LD_PRELOAD=" PERSEID_LIBRARY);
    variables.push_back("STARPU_TRACE_PLUGIN=" + mode.settings + ",dir=" + directory);
  }
  return run(command, variables, directory);
}

double bytes_below(const std::string& directory) {
  double bytes = 0;
  for (const auto& entry : fs::recursive_directory_iterator(directory))
    if (entry.is_regular_file()) bytes += static_cast<double>(entry.file_size());
  return bytes;
}

struct Sizes {
  double capture = 0;
  double json = 0;
};

Sizes measure_sizes(const Program& program, const Mode& mode, const std::string& scratch) {
  if (mode.settings.empty()) return {};
  Sizes sizes;
  const ScratchDirectory place(scratch);
  run_in_mode(program, program.command, mode, place.path());
  sizes.capture = bytes_below(place.path()) / program.tasks;
  for (const auto& entry : fs::directory_iterator(place.path())) {
    if (!entry.is_directory()) continue;
    const std::string json = place.path() + "/timeline.json";
    run({PERSEID_TOOL, "export", "--quiet", "-o", json, entry.path()}, {}, place.path());
    sizes.json = static_cast<double>(fs::file_size(json)) / program.tasks;
  }
  return sizes;
}

/// Of one mode, one value per round.
struct Samples {
  std::vector<double> task_us;
  std::vector<double> once_ms;
  std::vector<double> ratios;  // to the untraced run of the same round
};

void measure(const Program& program, size_t rounds, const std::string& scratch) {
  std::vector<Samples> samples(kModes.size());
  std::mt19937 random(20);
  std::vector<size_t> order = {0, 1, 2};
  for (size_t round = 0; round < rounds; ++round) {
    std::shuffle(order.begin(), order.end(), random);
    for (const size_t mode : order) {
      const ScratchDirectory place(scratch);
      const double once = run_in_mode(program, program.few_tasks, kModes[mode], place.path());
      const double all = run_in_mode(program, program.command, kModes[mode], place.path());
      samples[mode].once_ms.push_back(1e3 * once);
      samples[mode].task_us.push_back(1e6 * (all - once) / program.tasks);
    }
    for (Samples& of_mode : samples)
      of_mode.ratios.push_back(of_mode.task_us.back() / samples[0].task_us.back());
  }
  Table table(fmt::format("{}, {} rounds, CPU of the whole process:", program.title, rounds),
              {"traced", "us/task min", "median", "ratio of minima", "of medians",
               "median of ratios", "once ms", "capture bytes/task", "JSON bytes/task"});
  const auto least = [](const std::vector<double>& values) {
    return *std::min_element(values.begin(), values.end());
  };
  const Samples& bare = samples[0];
  for (size_t mode = 0; mode < kModes.size(); ++mode) {
    const Samples& here = samples[mode];
    const Sizes sizes = measure_sizes(program, kModes[mode], scratch);
    table.add({kModes[mode].name, fixed(least(here.task_us), 2), fixed(median(here.task_us), 2),
               fixed(least(here.task_us) / least(bare.task_us), 3),
               fixed(median(here.task_us) / median(bare.task_us), 3), fixed(median(here.ratios), 3),
               fixed(median(here.once_ms), 0), fixed(sizes.capture, 0), fixed(sizes.json, 0)});
  }
  table.print();
}

int run_all(const Options& options) {
  const std::string overhead = PERSEID_STARPU_EXAMPLES "/tasks_overhead";
  const std::string cholesky = PERSEID_STARPU_EXAMPLES "/cholesky_implicit";
  if (!fs::exists(overhead) || !fs::exists(cholesky)) {
    fmt::print("StarPU's examples are not installed: no figures for StarPU.\n\n");
    return 0;
  }
  if (options.shows_machine) print_machine();
  const size_t rounds = options.is_quick ? 3 : 21;
  const auto cholesky_of = [&](int blocks) {
    return Words{cholesky, "-size", std::to_string(16 * blocks), "-nblocks",
                 std::to_string(blocks)};
  };
  const auto tasks_of = [](double n) { return n * (n + 1) * (n + 2) / 6; };
  constexpr int kBlocks = 44;
  const std::vector<Program> programs = {
      {"tasks_overhead of StarPU: empty tasks, 1 worker",
       {overhead, "-i", "100000"},
       {overhead, "-i", "100"},
       99900,
       "1"},
      {"tasks_overhead of StarPU: empty tasks, 2 workers",
       {overhead, "-i", "60000"},
       {overhead, "-i", "100"},
       59900,
       "2"},
      {"cholesky_implicit of StarPU: tiles of 16 x 16, dependencies by data, 1 worker",
       cholesky_of(kBlocks), cholesky_of(4), tasks_of(kBlocks) - tasks_of(4), "1"},
  };
  // What StarPU measures on its first start must not be among our figures.
  const ScratchDirectory home(options.scratch);
  setenv("STARPU_HOME", home.path().c_str(), 1);
  for (const Program& program : programs) {
    run_in_mode(program, program.few_tasks, kModes[0], home.path());
    measure(program, rounds, options.scratch);
  }
  return 0;
}

}  // namespace
}  // namespace perseid::bench

int main(int count, char** words) {
  return perseid::bench::run_bench("bench_starpu", count, words, perseid::bench::run_all);
}
