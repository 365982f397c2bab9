// tests/unit/plugin/record/intern_test.cpp: each name once, readable by its id from the file.
#include "plugin/record/intern.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <filesystem>
#include <fstream>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "capture/checksum.h"
#include "plugin/record/host_guard.h"
#include "tests/unit/plugin/held_directory.h"

namespace perseid {
namespace {

Names* g_names = nullptr;
std::mutex g_growth;
/// One thread at a time, as the drainer is one.
bool grow(uint64_t bytes) noexcept {
  const WriteGuard writes;
  const std::lock_guard lock(g_growth);
  return g_names->grow(bytes);
}

class NamesTest : public testing::Test {
 protected:
  void SetUp() override {
    g_names = &names_;
    ASSERT_TRUE(state_.open(directory_.own(), 7, 1));
    ASSERT_TRUE(names_.open(directory_.own(), 7, state_, grow));
  }
  void TearDown() override {
    names_.close();
    state_.close();
  }

  uint32_t intern(const std::string& text) { return names_.intern(text.data(), text.size()); }
  uint64_t lost() const { return state_.counters().names_lost.load(); }

  /// The text behind an id, as a reader finds it.
  std::string stored(uint32_t id) const {
    std::ifstream file(directory_.file("strings"), std::ios::binary);
    file.seekg(static_cast<std::streamoff>(id) * 8);
    StringEntry entry{};
    file.read(reinterpret_cast<char*>(&entry), sizeof entry);
    std::string text(std::min(entry.length, kMaxStringBytes), '\0');
    file.read(text.data(), static_cast<std::streamsize>(text.size()));
    EXPECT_EQ(entry.checksum, checksum(text.data(), text.size()));
    return text;
  }

  HeldDirectory directory_;
  StateFile state_;
  Names names_;
};

TEST_F(NamesTest, TheSameTextHasTheSameId) {
  const uint32_t first = intern("gemm");
  const std::string copy = "gemm";
  EXPECT_NE(first, 0u);
  EXPECT_EQ(intern(copy), first);
  EXPECT_NE(intern("gemm "), first);
  EXPECT_EQ(stored(first), "gemm");
}

TEST_F(NamesTest, TextsOfEveryShortLengthAreDistinct) {
  std::set<uint32_t> ids;
  std::string text;
  for (size_t length = 1; length <= 40; ++length) {
    text.push_back('a');
    for (size_t i = 0; i < length; ++i) {
      std::string other = text;
      other[i] = 'b';
      const uint32_t id = intern(other);
      EXPECT_TRUE(ids.insert(id).second) << other;
      EXPECT_EQ(stored(id), other);
      EXPECT_EQ(intern(other), id);
    }
  }
}

TEST_F(NamesTest, AnEmptyTextIsNoName) {
  EXPECT_EQ(intern(""), 0u);
  EXPECT_EQ(lost(), 0u);
}

TEST_F(NamesTest, LongTextsAreCut) {
  const std::string text(3 * kMaxStringBytes, 'x');
  const uint32_t id = intern(text);
  EXPECT_EQ(stored(id), text.substr(0, kMaxStringBytes));
  EXPECT_EQ(intern(text.substr(0, kMaxStringBytes)), id);
}

TEST_F(NamesTest, TheFileGrowsWithTheNames) {
  std::vector<uint32_t> ids;
  for (int i = 0; i < 20'000; ++i)
    ids.push_back(intern("a name of some length, number " + std::to_string(i)));
  for (int i = 0; i < 20'000; i += 997)
    EXPECT_EQ(stored(ids[static_cast<size_t>(i)]),
              "a name of some length, number " + std::to_string(i));
  EXPECT_EQ(std::set(ids.begin(), ids.end()).size(), ids.size());
  EXPECT_EQ(lost(), 0u);
}

TEST_F(NamesTest, RoomIsMadeBeforeAnybodyWaitsForIt) {
  EXPECT_FALSE(names_.grow_ahead()) << "there is enough";
  const std::string text(4000, 'z');
  for (int i = 0; i < 40; ++i) intern(std::to_string(i) + text);
  EXPECT_FALSE(names_.has(512 * 1024));
  EXPECT_TRUE(names_.grow_ahead());
  EXPECT_TRUE(names_.has(512 * 1024));
  names_.want(1024 * 1024);
  EXPECT_TRUE(names_.grow_ahead());
  EXPECT_TRUE(names_.has(1024 * 1024));
}

TEST_F(NamesTest, ThreadsThatBringTheSameNamesGetUsableIds) {
  std::vector<std::thread> threads;
  std::vector<std::vector<uint32_t>> ids(4);
  for (auto& own : ids)
    threads.emplace_back([&] {
      for (int i = 0; i < 5000; ++i) own.push_back(intern("shared " + std::to_string(i)));
    });
  for (std::thread& thread : threads) thread.join();
  for (const auto& own : ids)
    for (size_t i = 0; i < own.size(); i += 499)
      EXPECT_EQ(stored(own[i]), "shared " + std::to_string(i));
}

TEST_F(NamesTest, NamesBeyondAFullDiskAreCounted) {
  rlimit kept;
  getrlimit(RLIMIT_FSIZE, &kept);
  const rlimit small{512 * 1024, kept.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &small), 0);
  const std::string long_text(4000, 'y');
  const uint32_t known = intern("known before");
  uint32_t refused = 0;
  for (int i = 0; i < 300; ++i) refused += intern(std::to_string(i) + long_text) == 0;
  setrlimit(RLIMIT_FSIZE, &kept);
  EXPECT_GT(refused, 0u);
  EXPECT_EQ(lost(), refused);
  EXPECT_EQ(intern("known before"), known);
}

TEST_F(NamesTest, ATruncatedFileCostsTheNamesInItAndNothingElse) {
  const uint32_t before = intern("before");
  std::filesystem::resize_file(directory_.file("strings"), 0);
  EXPECT_NE(intern("after"), before);
  EXPECT_EQ(intern("before"), before) << "looked up in memory";
  const std::string text(4000, 'w');
  uint32_t id = 0;
  for (int i = 0; i < 100; ++i) id = intern(std::to_string(i) + text);
  EXPECT_EQ(stored(id), "99" + text) << "the file has grown again";
  EXPECT_EQ(lost(), 0u);
}

}  // namespace
}  // namespace perseid
