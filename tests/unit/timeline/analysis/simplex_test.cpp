// tests/unit/timeline/analysis/simplex_test.cpp: answers that are known, that prove themselves, and
// that lp_solve gives, too.
#include "timeline/analysis/simplex.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <random>
#include <string>

#include "tests/stream/temporary_directory.h"

namespace perseid {
namespace {

using Relation = LinearProgram::Relation;
using Outcome = LinearSolution::Outcome;

TEST(Simplex, SolvesWhatCanBeSolvedByHand) {
  // The largest 3x + 5y with x <= 4, 2y <= 12, 3x + 2y <= 18 is 36, at (2, 6).
  const LinearSolution solution = solve({{-3, -5},
                                         {{{1, 0}, Relation::kAtMost, 4},
                                          {{0, 2}, Relation::kAtMost, 12},
                                          {{3, 2}, Relation::kAtMost, 18}}});
  ASSERT_EQ(solution.outcome, Outcome::kOptimal);
  EXPECT_NEAR(solution.value, -36, 1e-9);
  EXPECT_NEAR(solution.variables[0], 2, 1e-9);
  EXPECT_NEAR(solution.variables[1], 6, 1e-9);
  EXPECT_NEAR(solution.prices[0], 0, 1e-9);
  EXPECT_NEAR(solution.prices[1], -1.5, 1e-9);
  EXPECT_NEAR(solution.prices[2], -1, 1e-9);
}

TEST(Simplex, NoticesWhatCannotBe) {
  EXPECT_EQ(solve({{1}, {{{1}, Relation::kAtMost, 1}, {{1}, Relation::kAtLeast, 2}}}).outcome,
            Outcome::kInfeasible);
  EXPECT_EQ(solve({{1}, {{{1}, Relation::kAtMost, -1}}}).outcome, Outcome::kInfeasible);
  EXPECT_EQ(solve({{-1}, {{{1}, Relation::kAtLeast, 2}}}).outcome, Outcome::kUnbounded);
}

TEST(Simplex, TakesRowsThatSayNothing) {
  const LinearProgram program = {{1, 2},
                                 {{{1, 1}, Relation::kEqual, 3},
                                  {{2, 2}, Relation::kEqual, 6},
                                  {{}, Relation::kEqual, 0},
                                  {{-1, -1}, Relation::kEqual, -3}}};
  const LinearSolution solution = solve(program);
  ASSERT_EQ(solution.outcome, Outcome::kOptimal);
  EXPECT_NEAR(solution.value, 3, 1e-9);
  EXPECT_EQ(solve({}).outcome, Outcome::kOptimal);
  EXPECT_EQ(solve({{1, 1}, {}}).value, 0);
}

TEST(Simplex, DoesNotGoRoundInCircles) {
  // Beale's example, on which the rule of the best gain alone never ends.
  const LinearSolution solution = solve({{-0.75, 150, -0.02, 6},
                                         {{{0.25, -60, -0.04, 9}, Relation::kAtMost, 0},
                                          {{0.5, -90, -0.02, 3}, Relation::kAtMost, 0},
                                          {{0, 0, 1, 0}, Relation::kAtMost, 1}}});
  ASSERT_EQ(solution.outcome, Outcome::kOptimal);
  EXPECT_NEAR(solution.value, -0.05, 1e-9);
}

/// Magnitudes differ as those of times in nanoseconds and numbers of tasks do.
LinearProgram random_program(std::mt19937_64& random, size_t most) {
  std::uniform_int_distribution<size_t> size(1, most);
  std::uniform_int_distribution<int> small(-9, 9);
  const auto scale = [&] {
    return std::uniform_int_distribution<int>(0, 3)(random) == 0 ? 1e6 : 1;
  };
  LinearProgram program;
  for (size_t j = size(random); j > 0; --j) program.costs.push_back(small(random) + 4);
  for (size_t i = size(random); i > 0; --i) {
    LinearProgram::Row row;
    const double unit = scale();
    for (size_t j = 0; j < program.costs.size(); ++j) {
      row.factors.push_back(std::max(-3, small(random)) * unit);
    }
    row.relation = static_cast<Relation>(std::uniform_int_distribution<int>(0, 2)(random));
    row.limit = small(random) * unit;
    program.rows.push_back(row);
  }
  return program;
}

/// An allowed solution and prices that are allowed, of equal value: each proves the other.
void expect_proof(const LinearProgram& program, const LinearSolution& solution) {
  double by_prices = 0;
  for (size_t i = 0; i < program.rows.size(); ++i) {
    const LinearProgram::Row& row = program.rows[i];
    double sum = 0, size = std::fabs(row.limit);
    for (size_t j = 0; j < row.factors.size(); ++j) {
      sum += row.factors[j] * solution.variables[j];
      size = std::max(size, std::fabs(row.factors[j] * solution.variables[j]));
    }
    const double tolerance = 1e-7 * (1 + size);
    if (row.relation != Relation::kAtLeast) {
      ASSERT_LE(sum, row.limit + tolerance);
    }
    if (row.relation != Relation::kAtMost) {
      ASSERT_GE(sum, row.limit - tolerance);
    }
    if (row.relation == Relation::kAtMost) {
      ASSERT_LE(solution.prices[i], 1e-7);
    }
    if (row.relation == Relation::kAtLeast) {
      ASSERT_GE(solution.prices[i], -1e-7);
    }
    by_prices += row.limit * solution.prices[i];
  }
  for (size_t j = 0; j < program.costs.size(); ++j) {
    ASSERT_GE(solution.variables[j], 0);
    double reduced = program.costs[j];
    double size = std::fabs(reduced);
    for (size_t i = 0; i < program.rows.size(); ++i) {
      reduced -= program.rows[i].factors[j] * solution.prices[i];
      size = std::max(size, std::fabs(program.rows[i].factors[j] * solution.prices[i]));
    }
    ASSERT_GE(reduced, -1e-7 * (1 + size));
  }
  ASSERT_NEAR(by_prices, solution.value, 1e-7 * (1 + std::fabs(solution.value)));
}

TEST(Simplex, ProvesItsSolutions) {
  std::mt19937_64 random(1);
  std::array<int, 4> outcomes{};
  for (int i = 0; i < 3000; ++i) {
    const LinearProgram program = random_program(random, i % 10 == 0 ? 40 : 8);
    const LinearSolution solution = solve(program);
    ++outcomes[static_cast<size_t>(solution.outcome)];
    if (solution.outcome == Outcome::kOptimal) expect_proof(program, solution);
    ASSERT_FALSE(testing::Test::HasFatalFailure()) << "program " << i;
  }
  EXPECT_GT(outcomes[static_cast<size_t>(Outcome::kOptimal)], 300);
  EXPECT_GT(outcomes[static_cast<size_t>(Outcome::kInfeasible)], 300);
  EXPECT_GT(outcomes[static_cast<size_t>(Outcome::kUnbounded)], 100);
  EXPECT_EQ(outcomes[static_cast<size_t>(Outcome::kGaveUp)], 0);
}

/// In lp_solve's own format.
std::string text_of(const LinearProgram& program) {
  const auto sum = [](const std::vector<double>& factors) {
    std::string text;
    for (size_t j = 0; j < factors.size(); ++j) {
      text += fmt::format(" {:+.17g} x{}", factors[j], j);
    }
    return text.empty() ? std::string(" 0 x0") : text;
  };
  std::string text = "min:" + sum(program.costs) + ";\n";
  for (size_t i = 0; i < program.rows.size(); ++i) {
    const LinearProgram::Row& row = program.rows[i];
    const char* const relation = row.relation == Relation::kAtMost    ? "<="
                                 : row.relation == Relation::kAtLeast ? ">="
                                                                      : "=";
    // The name of a row keeps one of a single variable from being a bound of that variable.
    text += fmt::format("r{}:{} {} {:.17g};\n", i, sum(row.factors), relation, row.limit);
  }
  return text;
}

TEST(Simplex, AgreesWithLpSolve) {
  if (std::system("command -v lp_solve >/dev/null") != 0) GTEST_SKIP() << "lp_solve is missing";
  const test::TemporaryDirectory directory;
  const std::string file = directory / "program.lp";
  std::mt19937_64 random(2);
  for (int i = 0; i < 200; ++i) {
    const LinearProgram program = random_program(random, i % 4 == 0 ? 30 : 6);
    std::ofstream(file) << text_of(program);
    FILE* const pipe = popen(("lp_solve -S4 " + file + " 2>&1").c_str(), "r");
    ASSERT_NE(pipe, nullptr);
    std::string answer;
    for (int c = 0; (c = fgetc(pipe)) != EOF;) answer += static_cast<char>(c);
    pclose(pipe);

    const LinearSolution solution = solve(program);
    const bool is_infeasible = answer.find("infeasible") != std::string::npos;
    const bool is_unbounded = answer.find("unbounded") != std::string::npos;
    ASSERT_EQ(solution.outcome == Outcome::kInfeasible, is_infeasible)
        << answer << text_of(program);
    ASSERT_EQ(solution.outcome == Outcome::kUnbounded, is_unbounded) << answer << text_of(program);
    if (solution.outcome != Outcome::kOptimal) continue;
    const std::string key = "objective function: ";
    const size_t at = answer.find(key);
    ASSERT_NE(at, std::string::npos) << answer;
    const double expected = std::strtod(answer.c_str() + at + key.size(), nullptr);
    ASSERT_NEAR(solution.value, expected, 1e-6 * (1 + std::fabs(expected))) << text_of(program);
  }
}

}  // namespace
}  // namespace perseid
