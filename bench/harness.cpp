// bench/harness.cpp: runs the cases of a table in random order and takes medians.
#include "bench/harness.h"

#include <algorithm>
#include <barrier>
#include <numeric>
#include <random>
#include <thread>

#include "bench/statistics.h"

namespace perseid::bench {

namespace {

/// samples[case][round], summed over the threads that wrote their own share of it.
using Samples = std::vector<std::vector<double>>;

std::vector<std::vector<size_t>> random_orders(size_t cases, size_t rounds) {
  std::mt19937 generator{std::random_device{}()};
  std::vector<size_t> order(cases);
  std::iota(order.begin(), order.end(), size_t{0});
  std::vector<std::vector<size_t>> orders;
  for (size_t round = 0; round < rounds; ++round) {
    std::shuffle(order.begin(), order.end(), generator);
    orders.push_back(order);
  }
  return orders;
}

double measure_burst(const Case& measured, size_t operations) {
  operations *= measured.burst_factor;
  const double began = cpu_ns(CLOCK_THREAD_CPUTIME_ID);
  measured.run(operations);
  return (cpu_ns(CLOCK_THREAD_CPUTIME_ID) - began) / static_cast<double>(operations);
}

}  // namespace

double cpu_ns(clockid_t clock) noexcept {
  timespec now;
  clock_gettime(clock, &now);
  return static_cast<double>(now.tv_sec) * 1e9 + static_cast<double>(now.tv_nsec);
}

std::vector<Measurement> measure(const std::vector<Case>& cases, size_t threads, size_t rounds,
                                 size_t operations) {
  // The first round warms caches, rings and branch predictors, and is thrown away.
  const auto orders = random_orders(cases.size(), rounds + 1);
  std::vector<Samples> samples(threads, Samples(cases.size(), std::vector<double>(rounds)));
  std::barrier gate(static_cast<std::ptrdiff_t>(threads));
  const auto work = [&](size_t thread) {
    for (size_t round = 0; round <= rounds; ++round)
      for (const size_t index : orders[round]) {
        const Case& measured = cases[index];
        if (measured.before) measured.before();
        gate.arrive_and_wait();
        const double ns = measure_burst(measured, operations);
        if (round > 0) samples[thread][index][round - 1] = ns;
        gate.arrive_and_wait();
        if (measured.after) measured.after();
      }
  };
  std::vector<std::jthread> others;
  for (size_t thread = 1; thread < threads; ++thread) others.emplace_back(work, thread);
  work(0);
  others.clear();

  std::vector<Measurement> results;
  for (size_t index = 0; index < cases.size(); ++index) {
    std::vector<double> times, ratios;
    for (size_t round = 0; round < rounds; ++round) {
      double time = 0, baseline = 0;
      for (size_t thread = 0; thread < threads; ++thread) {
        time += samples[thread][index][round];
        baseline += samples[thread][0][round];
      }
      times.push_back(time / static_cast<double>(threads));
      ratios.push_back(time / baseline);
    }
    results.push_back({cases[index].name, median(times), median(ratios)});
  }
  return results;
}

}  // namespace perseid::bench
