// tests/storm/kill_storm.cpp: kills a recording program at random moments and compares its capture
// with what the program itself noted: nothing lost, nothing twice, nothing out of order.
//
//   kill_storm KILLS [SEED]
//
// Modes of a full ring, sizes and places of rings, numbers of threads and their churn take turns.
#include <fmt/format.h>
#include <signal.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <random>
#include <thread>

#include "tests/host/harness.h"
#include "tests/host/recorded.h"

namespace perseid::host {
namespace {

constexpr uint64_t kNumberMask = (uint64_t{1} << 40) - 1;

struct Line {
  alignas(64) uint64_t issued;
  uint64_t done;
};
static_assert(sizeof(Line) == 64);

struct Trial {
  std::string mode;
  std::string settings;
  uint64_t threads;
  uint64_t churn;
  int64_t microseconds;
};

Trial draw(uint64_t index, std::mt19937_64& random) {
  const auto pick = [&random](auto... choices) {
    const std::common_type_t<decltype(choices)...> all[] = {choices...};
    return all[random() % sizeof...(choices)];
  };
  constexpr const char* kModes[] = {"flush", "drop", "overwrite"};
  Trial trial;
  trial.mode = kModes[index % 3];
  trial.threads = 1 + random() % 4;
  trial.churn = pick(0u, 0u, 1000u, 20'000u);
  trial.microseconds = static_cast<int64_t>(random() % 150'000);
  trial.settings = fmt::format("export=0,quiet=1,on_full={},ring={},rings={}", trial.mode,
                               pick("64K", "256K", "1M"), pick("shm", "capture"));
  return trial;
}

std::vector<Line> read_page(const std::string& path, uint64_t threads) {
  std::vector<Line> page(threads);
  std::ifstream file(path, std::ios::binary);
  file.read(reinterpret_cast<char*>(page.data()),
            static_cast<std::streamsize>(threads * sizeof(Line)));
  return page;
}

/// What is wrong with one thread's numbers, or "". `lost` is what the whole capture counts.
std::string check_thread(std::vector<uint64_t> numbers, const Line& line, const Trial& trial,
                         uint64_t lost) {
  std::ranges::sort(numbers);
  if (std::ranges::adjacent_find(numbers) != numbers.end()) return "a number is there twice";
  if (!numbers.empty() && numbers.back() > line.issued) return "a number was never issued";
  const auto end = std::ranges::upper_bound(numbers, line.done);
  const auto present = static_cast<uint64_t>(end - numbers.begin());
  const uint64_t missing = line.done - present;
  if (trial.mode == "flush" && missing > 0) return fmt::format("{} are missing", missing);
  if (trial.mode == "drop" && missing > lost)
    return fmt::format("{} are missing, {} counted as lost", missing, lost);
  if (trial.mode == "overwrite" && line.done > 0 && (numbers.empty() || numbers.back() < line.done))
    return "the latest are missing";
  return "";
}

std::string check_trial(const Recorded& recorded, const std::vector<Line>& page,
                        const Trial& trial) {
  if (!recorded.damages.empty()) return "damaged: " + recorded.damages.front();
  std::vector<std::vector<uint64_t>> numbers(trial.threads);
  for (const RecordedStream& stream : recorded.streams) {
    if (!std::ranges::is_sorted(stream.numbers)) return "a stream is out of order";
    for (size_t i = 1; i < stream.numbers.size() && trial.mode != "drop"; ++i)
      if (stream.numbers[i] != stream.numbers[i - 1] + 1) return "a stream has a hole";
    for (const uint64_t number : stream.numbers)
      numbers.at(number >> 40).push_back(number & kNumberMask);
  }
  for (uint64_t t = 0; t < trial.threads; ++t) {
    const std::string why = check_thread(numbers[t], page[t], trial, recorded.lost());
    if (!why.empty()) return fmt::format("thread {}: {}", t, why);
  }
  return "";
}

/// What is wrong, or "". Adds what was completed to `done`.
std::string run_trial(const Trial& trial, uint64_t& done) {
  Sandbox sandbox;
  const std::string page_path = sandbox.path("page");
  Running running = sandbox.start(
      {.program = PERSEID_STORM_HOST,
       .args = {page_path, std::to_string(trial.threads), std::to_string(trial.churn)},
       .settings = trial.settings});
  std::this_thread::sleep_for(std::chrono::microseconds(trial.microseconds));
  running.send(SIGKILL);
  const Ending ending = running.wait();
  if (ending.signal != SIGKILL) return "it was not killed: " + ending.describe();
  const std::vector<Line> page = read_page(page_path, trial.threads);
  uint64_t completed = 0;
  for (const Line& line : page) completed += line.done;
  done += completed;
  const std::vector<std::string> captures = sandbox.captures();
  if (captures.empty()) return completed == 0 ? "" : "there is no capture";
  // Killed while the capture was being made: nothing was recorded, and any part may be missing.
  if (completed == 0) return "";
  return check_trial(read_capture(captures[0]), page, trial);
}

int storm(uint64_t kills, uint64_t seed) {
  std::mt19937_64 random(seed);
  uint64_t done = 0;
  for (uint64_t i = 0; i < kills; ++i) {
    const Trial trial = draw(i, random);
    const std::string why = run_trial(trial, done);
    if (why.empty()) continue;
    fmt::print("kill {} of seed {}: {}\n  {} threads, churn {}, {}, killed after {} us\n", i, seed,
               why, trial.threads, trial.churn, trial.settings, trial.microseconds);
    return 1;
  }
  fmt::print("{} kills, {} events completed, none lost, none twice, all in order\n", kills, done);
  return 0;
}

}  // namespace
}  // namespace perseid::host

int main(int count, char** words) {
  if (count < 2) {
    fmt::print("usage: kill_storm KILLS [SEED]\n");
    return 2;
  }
  const uint64_t kills = std::strtoull(words[1], nullptr, 10);
  return perseid::host::storm(kills, count > 2 ? std::strtoull(words[2], nullptr, 10) : 1);
}
