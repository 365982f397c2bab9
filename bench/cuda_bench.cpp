// bench/cuda_bench.cpp: what a call of CUDA and a record of CUPTI's cost, on the double.
//
// The double's own dispatch is the baseline: the same call, once with nobody listening to it and
// once with us. A real CUPTI costs something of its own on top, which no machine here can measure.
#include <dlfcn.h>
#include <fmt/format.h>

#include <cstdlib>
#include <stdexcept>

#include "bench/child.h"
#include "bench/harness.h"
#include "bench/machine.h"
#include "bench/options.h"
#include "bench/table.h"
#include "cupti/record/collector.h"
#include "tests/doubles/cupti/control.h"

namespace perseid::bench {
namespace {

using namespace cupti;

constexpr uint32_t kPolling = 136;  // cudaEventQuery: nobody listens
constexpr uint32_t kLaunch = 211;   // cudaLaunchKernel

const DoubleControl& control() {
  void* library = dlopen(std::getenv("PERSEID_CUPTI"), RTLD_NOW | RTLD_NOLOAD);
  void* found = library ? dlsym(library, "perseid_double_control") : nullptr;
  if (!found) throw std::runtime_error("the double of CUPTI is not there");
  return *reinterpret_cast<const DoubleControl* (*)()>(found)();
}

void call(const DoubleControl& cuda, uint32_t id, size_t times) {
  for (size_t i = 0; i < times; ++i) {
    const auto correlation = static_cast<uint32_t>(i);
    cuda.call(Domain::kRuntime, id, "cudaLaunchKernel_v7000", correlation, CallbackSite::kEnter, 0);
    cuda.call(Domain::kRuntime, id, "cudaLaunchKernel_v7000", correlation, CallbackSite::kExit, 0);
  }
}

KernelActivity make_kernel() {
  KernelActivity kernel{};
  kernel.kind = ActivityKind::kConcurrentKernel;
  kernel.name = "_Z5scaleIiEvPT_i";
  return kernel;
}

int measure_here(const Options& options) {
  begin_collecting(false);
  const DoubleControl& cuda = control();
  if (!is_on()) throw std::runtime_error("the collector did not start");
  const KernelActivity kernel = make_kernel();
  const auto& activity = reinterpret_cast<const Activity&>(kernel);
  const std::vector<Case> cases = {
      {"clock read",
       [](size_t n) {
         for (size_t i = 0; i < n; ++i) keep(read_ticks());
       }},
      {"a call, nobody listens", [&](size_t n) { call(cuda, kPolling, n); }},
      {"a call, recorded at begin and end", [&](size_t n) { call(cuda, kLaunch, n); }},
      {"a kernel's record", [&](size_t n) {
         for (size_t i = 0; i < n; ++i) record_activity(activity, kVersion13_0);
       }}};
  print_rows(measure(cases, 1, options.is_quick ? 40 : 200, 2000));
  return 0;
}

int report(const Options& options) {
  if (options.shows_machine) print_machine();
  const ScratchDirectory scratch(options.scratch);
  setenv("PERSEID_CUPTI", PERSEID_CUPTI_DOUBLE, 1);
  setenv("CUDA_INJECTION64_PATH", "", 0);
  std::vector<std::string> arguments{"--child"};
  if (options.is_quick) arguments.push_back("--quick");
  Collected collected;
  for (int turn = 0; turn < (options.is_quick ? 1 : 5); ++turn) {
    collected.add(run_child(own_program(), arguments,
                            fmt::format("dir={},export=0,quiet=1", scratch.path())));
  }
  Table table("CUDA on the double of CUPTI, thread CPU time of the caller",
              {"operation", "ns", "x clock read"});
  double alone = 0, recorded = 0;
  for (const Measurement& m : collected.medians()) {
    table.add({m.name, fixed(m.ns, 1), fixed(m.ratio, 2)});
    if (m.name.ends_with("listens")) alone = m.ns;
    if (m.name.ends_with("begin and end")) recorded = m.ns;
  }
  table.add({"our part of a recorded call", fixed(recorded - alone, 1), ""});
  table.print();
  return 0;
}

int run(const Options& options) {
  const bool is_child = !options.rest.empty() && options.rest[0] == "--child";
  return is_child ? measure_here(options) : report(options);
}

}  // namespace
}  // namespace perseid::bench

int main(int count, char** words) {
  return perseid::bench::run_bench("cuda_bench", count, words, perseid::bench::run);
}
