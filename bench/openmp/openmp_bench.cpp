// bench/openmp/openmp_bench.cpp: what tracing adds to OpenMP tasks, next to EZTrace.
//
// Each program runs untraced and under each tracer, in random order, several times. Costs are CPU
// time of the whole process until it is gone, background threads and the writing of what was
// recorded included; a run without tasks is taken off, so that starting up is not divided by the
// number of tasks. Neither tracer makes its timeline here.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <random>
#include <stdexcept>

#include "bench/child.h"
#include "bench/machine.h"
#include "bench/openmp/traced_run.h"
#include "bench/options.h"
#include "bench/statistics.h"
#include "bench/table.h"

namespace perseid::bench {
namespace {

constexpr size_t kTracers = 3;

struct Program {
  std::string name;
  std::vector<std::string> command;
  std::vector<std::string> idle;  // the same with nothing, or next to nothing, to do
};

struct Samples {
  std::array<std::vector<double>, kTracers> cpu_ns, idle_ns;
  std::array<double, kTracers> bytes{};
  double tasks = 0;
};

/// Programs print "... N tasks ...".
double tasks_in(const std::string& output) {
  const size_t end = output.find(" tasks");
  const size_t before = output.find_last_not_of("0123456789", end - 1);
  if (end == std::string::npos) throw std::runtime_error("a program does not print how many tasks");
  return std::stod(output.substr(before == std::string::npos ? 0 : before + 1));
}

class OpenmpBench {
 public:
  OpenmpBench(const Options& options, std::string library)
      : options_(options), library_(std::move(library)), with_eztrace_(has_eztrace()) {}

  Samples measure(const Program& program, int threads) {
    Samples samples;
    const size_t turns = options_.is_quick ? 3 : 11;
    std::vector<size_t> order;
    for (size_t i = 0; i < (with_eztrace_ ? kTracers : kTracers - 1); ++i) order.push_back(i);
    for (size_t turn = 0; turn < turns; ++turn) {
      std::ranges::shuffle(order, generator_);
      for (const size_t i : order) {
        const auto tracer = static_cast<Tracer>(i);
        const TracedRun idle =
            run_traced(tracer, program.idle, library_, options_.scratch, threads);
        const TracedRun run =
            run_traced(tracer, program.command, library_, options_.scratch, threads);
        samples.idle_ns[i].push_back(idle.cpu_ns);
        samples.cpu_ns[i].push_back(run.cpu_ns);
        samples.bytes[i] = static_cast<double>(run.bytes) - static_cast<double>(idle.bytes);
        if (tracer == Tracer::kNone) samples.tasks = tasks_in(run.output);
      }
    }
    return samples;
  }

  void report(const std::vector<Program>& programs, int threads) {
    Table table(fmt::format("OpenMP tasks, {} thread{}: CPU time of the process per task", threads,
                            threads == 1 ? "" : "s"),
                {"program", "tasks", "untraced ns", "Perseid +ns", "x", "EZTrace +ns", "x",
                 "EZTrace / Perseid", "Perseid bytes", "EZTrace bytes"});
    for (const Program& program : programs) {
      const Samples samples = measure(program, threads);
      const auto work_ns = [&](size_t i) {
        return (median(samples.cpu_ns[i]) - median(samples.idle_ns[i])) / samples.tasks;
      };
      const double plain = work_ns(0);
      const double ours = work_ns(1) - plain;
      std::vector<std::string> row = {program.name, fixed(samples.tasks, 0), fixed(plain, 0),
                                      fixed(ours, 0), fixed((plain + ours) / plain, 2)};
      if (with_eztrace_) {
        const double theirs = work_ns(2) - plain;
        row.insert(row.end(),
                   {fixed(theirs, 0), fixed((plain + theirs) / plain, 2), fixed(theirs / ours, 1)});
      } else {
        row.insert(row.end(), {"-", "-", "-"});
      }
      row.push_back(fixed(samples.bytes[1] / samples.tasks, 0));
      row.push_back(with_eztrace_ ? fixed(samples.bytes[2] / samples.tasks, 0) : "-");
      table.add(std::move(row));
      for (size_t i = 0; i < kTracers; ++i) {
        idle_ns_[i].insert(idle_ns_[i].end(), samples.idle_ns[i].begin(), samples.idle_ns[i].end());
      }
    }
    table.print();
  }

  void report_start() {
    Table table("Starting and ending, a program without tasks: CPU time of the process",
                {"tracer", "ms"});
    constexpr const char* kNames[kTracers] = {"none", "Perseid", "EZTrace"};
    for (size_t i = 0; i < kTracers; ++i) {
      if (!idle_ns_[i].empty()) table.add({kNames[i], fixed(median(idle_ns_[i]) / 1e6, 1)});
    }
    table.print();
  }

 private:
  Options options_;
  std::string library_;
  bool with_eztrace_;
  std::mt19937 generator_{std::random_device{}()};
  std::array<std::vector<double>, kTracers> idle_ns_;
};

/// Arguments: libperseid.so, and the directory of the programs.
int report(const Options& options) {
  if (options.rest.size() != 2)
    throw std::runtime_error("usage: bench_openmp [OPTION]... LIBRARY PROGRAMS");
  if (options.shows_machine) print_machine();
  const std::string tasks = options.rest[1] + "/openmp_tasks";
  const std::string sparse_lu = options.rest[1] + "/openmp_sparse_lu";
  const auto program = [&](std::string name, std::string kind, std::string size) {
    return Program{std::move(name), {tasks, kind, std::move(size)}, {tasks, kind, "0"}};
  };
  const std::vector<Program> programs = {
      program("empty tasks, one creator", "flat", "2000000"),
      program("fib(27), taskwait in each", "fib", "27"),
      program("taskloop, one iteration per task", "taskloop", "1000000"),
      {"sparse LU, blocks of 16 x 16", {sparse_lu, "90", "16"}, {sparse_lu, "1", "16"}},
  };
  OpenmpBench bench(options, options.rest[0]);
  bench.report(programs, 1);
  bench.report(programs, 2);
  bench.report_start();
  return 0;
}

}  // namespace
}  // namespace perseid::bench

int main(int count, char** words) {
  return perseid::bench::run_bench("openmp_bench", count, words, perseid::bench::report);
}
