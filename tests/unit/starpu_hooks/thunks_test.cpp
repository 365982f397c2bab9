// tests/unit/starpu_hooks/thunks_test.cpp: functions that stand for other functions.
#include "starpu_hooks/record/thunks.h"

#include <gtest/gtest.h>

#include <set>

namespace perseid::starpu {
namespace {

constexpr size_t kCount = 64;

struct Forward {
  static void call(int* sum, size_t slot);
};
Thunks<Forward, kCount, int*> g_thunks;
size_t g_calls = 0;

void Forward::call(int* sum, size_t slot) {
  ++g_calls;
  g_thunks.original(slot)(sum);
}

template <int Number>
void add(int* sum) {
  *sum += Number;
}

class ThunksTest : public testing::Test {
 protected:
  void SetUp() override { g_thunks.measure(); }
};

TEST_F(ThunksTest, AThunkCallsItsOriginal) {
  const auto thunk = g_thunks.of(add<3>);
  ASSERT_NE(thunk, &add<3>);
  int sum = 0;
  g_calls = 0;
  thunk(&sum);
  EXPECT_EQ(sum, 3);
  EXPECT_EQ(g_calls, 1u);
  EXPECT_EQ(g_thunks.original(thunk), &add<3>);
}

TEST_F(ThunksTest, TheSameFunctionHasTheSameThunk) {
  EXPECT_EQ(g_thunks.of(add<4>), g_thunks.of(add<4>));
  EXPECT_NE(g_thunks.of(add<4>), g_thunks.of(add<5>));
}

TEST_F(ThunksTest, AThunkIsKnownAndNotWrappedAgain) {
  const auto thunk = g_thunks.of(add<6>);
  EXPECT_TRUE(g_thunks.is_thunk(thunk));
  EXPECT_EQ(g_thunks.of(thunk), thunk);
  EXPECT_FALSE(g_thunks.is_thunk(add<6>));
  EXPECT_FALSE(g_thunks.is_thunk(add<7>));
  EXPECT_FALSE(g_thunks.is_thunk(nullptr));
}

TEST_F(ThunksTest, AFunctionHasOneThunkInEachRangeOfSlots) {
  const auto low = g_thunks.of(add<9>, 0, kCount / 2);
  const auto high = g_thunks.of(add<9>, kCount / 2, kCount / 2);
  EXPECT_NE(low, high);
  EXPECT_EQ(low, g_thunks.of(add<9>, 0, kCount / 2));
  EXPECT_EQ(g_thunks.original(low), &add<9>);
  EXPECT_EQ(g_thunks.original(high), &add<9>);
}

template <size_t... Numbers>
size_t wrap_many(std::index_sequence<Numbers...>) {
  const std::set<void (*)(int*)> thunks{g_thunks.of(add<1000 + static_cast<int>(Numbers)>)...};
  return static_cast<size_t>(
      std::count_if(thunks.begin(), thunks.end(), [](auto f) { return g_thunks.is_thunk(f); }));
}

TEST_F(ThunksTest, WhenAllAreTakenAFunctionStaysItself) {
  EXPECT_LE(wrap_many(std::make_index_sequence<2 * kCount>()), kCount);
  EXPECT_EQ(g_thunks.of(add<8>), &add<8>);
  int sum = 0;
  g_thunks.of(add<8>)(&sum);
  EXPECT_EQ(sum, 8);
}

}  // namespace
}  // namespace perseid::starpu
