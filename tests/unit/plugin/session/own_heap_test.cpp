// tests/unit/plugin/session/own_heap_test.cpp: this program runs on the library's own operator new.
#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <map>
#include <memory>
#include <new>
#include <random>
#include <string>
#include <thread>
#include <vector>

namespace {

TEST(OwnHeap, BlocksAreAlignedAndDoNotOverlap) {
  std::mt19937 random(1);
  std::vector<std::pair<std::unique_ptr<unsigned char[]>, size_t>> blocks;
  for (size_t i = 0; i < 3000; ++i) {
    const size_t bytes = random() % (i % 100 == 0 ? 500'000 : 2000);
    blocks.emplace_back(std::make_unique_for_overwrite<unsigned char[]>(bytes), bytes);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(blocks.back().first.get()) % 16, 0u);
    std::memset(blocks.back().first.get(), static_cast<int>(i & 255), bytes);
  }
  for (size_t i = 0; i < blocks.size(); ++i)
    for (size_t at = 0; at < blocks[i].second; at += 61) ASSERT_EQ(blocks[i].first[at], i & 255);
}

TEST(OwnHeap, AFreedBlockIsUsedAgain) {
  void* first = operator new(1000);
  operator delete(first);
  void* second = operator new(1000);
  EXPECT_EQ(first, second);
  operator delete(second);
}

TEST(OwnHeap, ImpossibleSizesThrowOrReturnNull) {
  const volatile size_t huge = SIZE_MAX - 8;
  EXPECT_THROW(operator delete(operator new(huge)), std::bad_alloc);
  EXPECT_EQ(operator new(huge, std::nothrow), nullptr);
}

TEST(OwnHeap, CarriesContainersOnSeveralThreads) {
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([t] {
      std::map<int, std::string> map;
      for (int i = 0; i < 5000; ++i)
        map[i % 500] = std::string(static_cast<size_t>(i % 300), char('a' + t));
      for (const auto& [key, text] : map)
        EXPECT_EQ(text.find_first_not_of(char('a' + t)), std::string::npos);
    });
  }
  for (std::thread& thread : threads) thread.join();
}

}  // namespace
