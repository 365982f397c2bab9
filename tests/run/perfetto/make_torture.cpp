// tests/run/perfetto/make_torture.cpp: writes a capture with everything that timelines find hard:
// overlaps, zero lengths, equal times, unfinished slices, 200 lanes, odd texts, 64-bit numbers,
// arrows to and from everywhere, losses. make_torture DIRECTORY SEED
#include <filesystem>
#include <limits>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "tests/stream/fabricate.h"

namespace perseid::test {
namespace {

const char* const kNames[] = {
    "plain",
    "quote \" backslash \\ newline \n tab \t",
    "bell \x07 and \x7f",
    "é 日本 🚀",
    "not utf-8 \xff\xc0\xaf",
    "</script>,\"dur\":5,\"args\":{}",
    ("a much longer name, such as templates have: std::vector<std::pair<int, "
     "std::map<std::string, double>>>::emplace_back(int&&)")};

class Torture {
 public:
  Torture(CaptureBuilder& capture, unsigned seed) : capture_(&capture), random_(seed) {}

  void thread(uint32_t number, int records) {
    StreamBuilder& stream = capture_->stream(number, 4241 + number, name());
    int64_t now = static_cast<int64_t>(pick(20));
    uint32_t depth = 0;
    for (int i = 0; i < records; ++i) {
      now += kSteps[pick(std::size(kSteps))];
      step(stream, now, depth);
    }
    // What is open stays open.
  }

  void lanes(int count) {
    StreamBuilder& stream = capture_->stream(100, 5000, "requests");
    for (int lane = 0; lane < count; ++lane) {
      const std::string name = "lane " + std::to_string(lane);
      const auto first = static_cast<uint64_t>(lane) * 3 + (uint64_t{1} << 63);
      const int64_t start = 1000 + 10 * lane;
      for (uint64_t i = 0; i < 3; ++i) {
        stream.lane_begin(start + static_cast<int64_t>(i), name, first + i, kNames[i]);
      }
      stream.lane_end(start + 5, name, first + 1);
      stream.lane_end(start + 5, name, first);
      if (lane % 2 == 0) stream.lane_end(start + 6, name, first + 2);
    }
  }

  /// Each of eight slices leads to three others, into each of which several arrows go.
  void gather() {
    StreamBuilder& stream = capture_->stream(101, 5001, "gather");
    constexpr uint64_t kFirst = uint64_t{1} << 62;
    constexpr int kSources = 8, kTargets = 5;
    for (int i = 0; i < kSources; ++i) {
      stream.begin(10'000 + 10 * i, "source").flow_out(10'001 + 10 * i, kFirst + uint64_t(i));
      stream.end(10'008 + 10 * i, 0);
    }
    for (int i = 0; i < kTargets; ++i) {
      const int64_t start = 20'000 + 10 * i;
      stream.begin(start, "target");
      for (int k = 0; k <= i; ++k) stream.flow_in(start + 1, kFirst + uint64_t((i + k) % kSources));
      stream.end(start + 8, 0);
    }
  }

 private:
  static constexpr int64_t kSteps[] = {0, 0, 0, 1, 2, 7};

  size_t pick(size_t count) { return random_() % count; }
  const char* name() { return kNames[pick(std::size(kNames))]; }
  uint64_t arrow() { return pick(2) ? pick(40) : ~uint64_t{pick(40)}; }

  Words arguments() {
    Words words;
    const size_t count = pick(4);
    for (size_t i = 0; i < count; ++i) words = words + argument(i);
    return words;
  }

  Words argument(size_t index) {
    const std::string key = std::string(name()) + std::to_string(index);
    switch (pick(7)) {
      case 0:
        return capture_->argument(key, int64_t{-1} - static_cast<int64_t>(pick(1000)));
      case 1:
        return capture_->argument(key, std::numeric_limits<int64_t>::min());
      case 2:
        return capture_->argument(key, std::numeric_limits<uint64_t>::max() - pick(5));
      case 3:
        return capture_->argument(key, 0.25 * static_cast<double>(pick(1000)) + 0.125);
      case 4:
        return capture_->argument(key, pick(2) == 0);
      case 5:
        return capture_->pointer(key, 0xdeadbeef0000 + pick(99));
      default:
        return capture_->argument(key, std::string(name()));
    }
  }

  void step(StreamBuilder& stream, int64_t now, uint32_t& depth) {
    switch (pick(11)) {
      case 0:
      case 1:
      case 2:
        if (depth < 12) {
          stream.begin(now, name(), arguments());
          has_arrow_[++depth] = false;
        }
        break;
      case 3:
      case 4:
      case 5:
        if (depth > 0) stream.end(now, --depth, arguments());
        break;
      case 6:
        stream.instant(now, name(), arguments());
        break;
      case 7:
        stream.flow_out(now, arrow());
        break;
      case 8:
        // More than one arrow into a slice that begins with another is a case of its own.
        if (depth == 0 || !std::exchange(has_arrow_[depth], true)) stream.flow_in(now, arrow());
        break;
      case 9:
        stream.counter(now, pick(2) ? "ready [tasks]" : "load", 0.5 * static_cast<double>(pick(9)));
        break;
      default:
        if (pick(20) == 0) {
          stream.lost(now, depth, 17, now, depth);
        } else if (pick(4) == 0) {
          stream.phase(now, pick(3) ? name() : "");
        }
    }
  }

  CaptureBuilder* capture_;
  std::mt19937 random_;
  bool has_arrow_[16] = {};  // by depth: one comes into the open range
};

}  // namespace
}  // namespace perseid::test

int main(int count, char** words) {
  if (count != 3) return 2;
  perseid::test::CaptureBuilder capture;
  perseid::test::Torture torture(capture, static_cast<unsigned>(std::stoul(words[2])));
  for (uint32_t thread = 1; thread <= 6; ++thread) torture.thread(thread, 1500);
  torture.lanes(200);
  torture.gather();
  capture.write();
  std::filesystem::copy(capture.path(), words[1], std::filesystem::copy_options::recursive);
}
