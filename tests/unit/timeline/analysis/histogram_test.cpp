// tests/unit/timeline/analysis/histogram_test.cpp: quantiles are near, sums and merges exact.
#include "timeline/analysis/histogram.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <random>

namespace perseid {
namespace {

using Values = std::vector<int64_t>;

/// From nanoseconds to hours.
Values random_values(std::mt19937_64& random, size_t count, double octaves = 42) {
  std::uniform_real_distribution<double> exponent(0, octaves);
  Values values(count);
  for (int64_t& value : values) value = static_cast<int64_t>(std::exp2(exponent(random))) - 1;
  return values;
}

Histogram histogram_of(const Values& values) {
  Histogram histogram;
  for (const int64_t value : values) histogram.add(value);
  return histogram;
}

/// All that can be asked of it.
std::map<int64_t, uint64_t> contents(const Histogram& histogram) {
  std::map<int64_t, uint64_t> found;
  histogram.for_each([&](int64_t ns, uint64_t count) { found[ns] += count; });
  return found;
}

void expect_same(const Histogram& a, const Histogram& b) {
  EXPECT_EQ(a.count(), b.count());
  EXPECT_EQ(a.sum_ns(), b.sum_ns());
  EXPECT_EQ(a.min_ns(), b.min_ns());
  EXPECT_EQ(a.max_ns(), b.max_ns());
  EXPECT_EQ(contents(a), contents(b));
}

TEST(Histogram, OfNothingIsZero) {
  const Histogram histogram;
  EXPECT_EQ(histogram.count(), 0u);
  EXPECT_EQ(histogram.sum_ns(), 0);
  EXPECT_EQ(histogram.min_ns(), 0);
  EXPECT_EQ(histogram.max_ns(), 0);
  EXPECT_EQ(histogram.mean_ns(), 0);
  EXPECT_EQ(histogram.median_ns(), 0);
}

TEST(Histogram, OfEqualValuesIsExact) {
  Histogram histogram;
  for (int i = 0; i < 1000; ++i) histogram.add(1'234'567'891);
  for (const double share : {0.0, 0.01, 0.5, 0.99, 1.0}) {
    EXPECT_EQ(histogram.quantile_ns(share), 1'234'567'891);
  }
  EXPECT_EQ(histogram.sum_ns(), 1'234'567'891'000);
}

TEST(Histogram, OfShortTimesIsExact) {
  Values values;
  for (int64_t i = 0; i < 128; ++i) values.push_back(i);
  const Histogram histogram = histogram_of(values);
  for (int64_t i = 1; i <= 128; ++i) {
    EXPECT_EQ(histogram.quantile_ns(static_cast<double>(i) / 128), i - 1);
  }
}

TEST(Histogram, TakesAnyTime) {
  Histogram histogram;
  histogram.add(INT64_MAX);
  EXPECT_EQ(histogram.median_ns(), INT64_MAX);
  histogram.add(-5);
  EXPECT_EQ(histogram.min_ns(), 0);
  EXPECT_EQ(histogram.quantile_ns(0.5), 0);
  EXPECT_EQ(histogram.quantile_ns(1), INT64_MAX - (int64_t{1} << 55));
}

TEST(Histogram, HasQuantilesThatAreAtMost8PerMilleOff) {
  std::mt19937_64 random(3);
  for (const size_t count : {1u, 2u, 7u, 40u, 100u, 5000u}) {
    for (const double octaves : {3.0, 9.0, 42.0}) {
      Values values = random_values(random, count, octaves);
      const Histogram histogram = histogram_of(values);
      std::ranges::sort(values);
      for (const double share : {0.0, 0.001, 0.25, 0.5, 0.75, 0.95, 0.99, 1.0}) {
        const auto rank = static_cast<size_t>(std::ceil(share * static_cast<double>(count)));
        const auto exact = static_cast<double>(values[std::max<size_t>(rank, 1) - 1]);
        ASSERT_NEAR(static_cast<double>(histogram.quantile_ns(share)), exact, exact * 0.008)
            << share << " of " << count;
      }
    }
  }
}

TEST(Histogram, OfAllIsTheSumOfThoseOfParts) {
  std::mt19937_64 random(5);
  for (const size_t count : {3u, 60u, 3000u}) {
    Histogram whole, merged;
    for (int part = 0; part < 4; ++part) {
      const Values values = random_values(random, count, part % 2 == 0 ? 42 : 8);
      for (const int64_t value : values) whole.add(value);
      merged.add(histogram_of(values));
    }
    expect_same(merged, whole);
    merged.add(Histogram());
    expect_same(merged, whole);
  }
}

TEST(Histogram, GivesBackWhatWasAdded) {
  std::mt19937_64 random(7);
  for (const size_t count : {10u, 40u, 3000u}) {
    const Histogram a = histogram_of(random_values(random, count));
    const Histogram b = histogram_of(random_values(random, count));
    Histogram both;
    both.add(a);
    both.add(b);
    both.remove(b);
    EXPECT_EQ(both.count(), a.count());
    EXPECT_EQ(both.sum_ns(), a.sum_ns());
    for (const double share : {0.25, 0.5, 0.75}) {
      const auto exact = static_cast<double>(a.quantile_ns(share));
      EXPECT_NEAR(static_cast<double>(both.quantile_ns(share)), exact, exact * 0.008);
    }
  }
}

TEST(Histogram, OfFewTimesIsSmall) {
  Histogram few;
  for (int64_t i = 0; i < 10'000; ++i) few.add(1'000'000 + 3000 * (i % 100));
  EXPECT_LE(few.memory(), 1024u);
  // The largest that can be.
  Histogram all = few;
  std::mt19937_64 random(9);
  for (const int64_t value : random_values(random, 100'000, 62)) all.add(value);
  EXPECT_LE(all.memory(), 64u * 1024);
}

}  // namespace
}  // namespace perseid
