// timeline/analysis/simplex.h: small linear programs, solved exactly enough for a report.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace perseid {

/// Minimise the sum of costs x variables, all of which are >= 0, subject to rows.
struct LinearProgram {
  enum class Relation : uint8_t { kAtMost, kEqual, kAtLeast };
  struct Row {
    std::vector<double> factors;  // of each variable; the rest: 0
    Relation relation = Relation::kAtMost;
    double limit = 0;
  };
  std::vector<double> costs;
  std::vector<Row> rows;
};

struct LinearSolution {
  enum class Outcome : uint8_t { kOptimal, kInfeasible, kUnbounded, kGaveUp };
  Outcome outcome = Outcome::kGaveUp;
  double value = 0;
  std::vector<double> variables;
  /// How much the value grows with each row's limit. Its sum over all limits is `value`.
  std::vector<double> prices;
};

/// The two-phase simplex method on a dense table: for a few hundred rows and a few thousand
/// variables.
LinearSolution solve(const LinearProgram& program);

}  // namespace perseid
