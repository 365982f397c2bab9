// tests/unit/plugin/record/emit_cost_test.cpp: emit() stays in the neighbourhood of a clock read.
#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <string>

#include "annotations/events.h"
#include "bench/bursts.h"
#include "bench/harness.h"
#include "plugin/record/emit.h"
#include "plugin/session/session.h"

namespace perseid {
namespace {

constexpr uint16_t kKind = annotations::kind(annotations::kInstant);

/// A real session whose capture goes away with it.
class Recording {
 public:
  Recording() {
    std::string name = std::filesystem::temp_directory_path() / "perseid-emit-cost-XXXXXX";
    directory_ = mkdtemp(name.data());
    Settings& settings = g_origin.settings;
    settings.is_on = true;
    settings.export_at_end = false;
    settings.quiet = true;
    std::strncpy(settings.dir, directory_.c_str(), sizeof settings.dir - 1);
    std::strncpy(g_origin.directory, directory_.c_str(), sizeof g_origin.directory - 1);
    sched_getaffinity(0, sizeof g_origin.cpus, &g_origin.cpus);
    pthread_key_create(&g_origin.thread_key, nullptr);
    g_switch = &switch_;
    choose_clock(ClockChoice::kAuto);
    arm();
  }
  ~Recording() {
    end_session(0);
    g_switch = &g_no_switch;
    std::filesystem::remove_all(directory_);
  }

 private:
  Switch switch_{};
  std::string directory_;
};

void read_clock(size_t operations) {
  for (size_t i = 0; i < operations; ++i) bench::keep(read_ticks());
}

void emit_two_words(size_t operations) {
  for (size_t i = 0; i < operations; ++i) emit(kKind, 1, i, i);
}

/// Thread CPU time in interleaved bursts: a busy machine slows both cases alike. The best of a few
/// attempts counts, because noise only ever adds.
TEST(EmitCost, OneEventCostsLessThanThreeClockReads) {
  const Recording recording;
  emit(kKind, 1);
  ASSERT_NE(t_ring, nullptr) << "the session did not start";
  constexpr double kBound = 3;
  constexpr size_t kRounds = 101;
  constexpr int kAttempts = 5;
  double ratio = kBound + 1;
  for (int attempt = 0; attempt < kAttempts && ratio >= kBound; ++attempt) {
    const uint64_t before = t_ring->head();
    const auto results = bench::measure(
        {{"clock read", read_clock}, {"emit", emit_two_words, {}, bench::let_drainer_catch_up}}, 1,
        kRounds, bench::kBurst);
    ratio = results.at(1).ratio;
    constexpr uint64_t kRecordBytes = sizeof(RecordHeader) + 2 * 8;
    ASSERT_GE(t_ring->head() - before, kRecordBytes * bench::kBurst * kRounds)
        << "not every event was recorded";
  }
  EXPECT_LT(ratio, kBound);
}

}  // namespace
}  // namespace perseid
