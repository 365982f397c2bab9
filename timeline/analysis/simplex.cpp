// timeline/analysis/simplex.cpp: a dense table, whose columns are
//
//   variables | one for each row: its slack, or what it lacks (phase 1) | surplus of rows >= |
//   limit
//
// The last row holds the reduced costs. The column of a row begins as a unit vector, so that its
// reduced cost is in the end the row's price.
#include "timeline/analysis/simplex.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace perseid {
namespace {

/// Rows, columns, limits and costs are scaled to 1 at most: what is smaller is rounding.
constexpr double kTiny = 1e-9;

class Table {
 public:
  explicit Table(const LinearProgram& program);
  LinearSolution solve();

 private:
  using Outcome = LinearSolution::Outcome;
  static constexpr size_t kNone = ~size_t{0};

  double& at(size_t row, size_t column) { return cells_[row * width_ + column]; }
  double& limit(size_t row) { return at(row, width_ - 1); }
  double& reduced(size_t column) { return at(height_, column); }
  bool is_artificial(size_t column) const {
    return column >= variables_ && column < variables_ + height_ &&
           is_artificial_[column - variables_];
  }

  void scale();
  void price(const std::vector<double>& costs);
  Outcome optimise(bool may_use_artificial);
  size_t choose_column(bool may_use_artificial, bool is_careful);
  size_t choose_row(size_t column);
  void pivot(size_t row, size_t column);
  void drive_out_artificial();

  const LinearProgram* program_;
  size_t variables_;
  size_t height_;
  size_t width_;
  std::vector<double> cells_;
  std::vector<size_t> basis_;           // the column that each row stands for
  std::vector<uint8_t> is_artificial_;  // the column of each row
  std::vector<double> row_scale_;       // negative: the row is turned round
  std::vector<double> column_scale_;
  double limit_scale_ = 1;
  double cost_scale_ = 1;
};

double largest(const std::vector<double>& values) {
  double most = 0;
  for (const double value : values) most = std::max(most, std::fabs(value));
  return most;
}

double scale_for(double most) { return most > 0 ? 1 / most : 1; }

Table::Table(const LinearProgram& program)
    : program_(&program),
      variables_(program.costs.size()),
      height_(program.rows.size()),
      width_(variables_ + 2 * height_ + 1),
      cells_((height_ + 1) * width_),
      basis_(height_),
      is_artificial_(height_),
      row_scale_(height_),
      column_scale_(variables_, 1) {
  scale();
  for (size_t i = 0; i < height_; ++i) {
    const LinearProgram::Row& row = program.rows[i];
    for (size_t j = 0; j < std::min(variables_, row.factors.size()); ++j) {
      at(i, j) = row.factors[j] * row_scale_[i] * column_scale_[j];
    }
    limit(i) = row.limit * row_scale_[i] * limit_scale_;
    const bool is_turned = row_scale_[i] < 0;
    const bool is_equal = row.relation == LinearProgram::Relation::kEqual;
    const bool is_at_most = (row.relation == LinearProgram::Relation::kAtMost) != is_turned;
    at(i, variables_ + i) = 1;
    is_artificial_[i] = is_equal || !is_at_most;
    if (!is_equal && !is_at_most) at(i, variables_ + height_ + i) = -1;
    basis_[i] = variables_ + i;
  }
}

void Table::scale() {
  std::vector<double> widest(variables_);
  for (size_t i = 0; i < height_; ++i) {
    const LinearProgram::Row& row = program_->rows[i];
    row_scale_[i] = scale_for(largest(row.factors));
    for (size_t j = 0; j < std::min(variables_, row.factors.size()); ++j) {
      widest[j] = std::max(widest[j], std::fabs(row.factors[j]) * row_scale_[i]);
    }
    if (row.limit < 0) row_scale_[i] = -row_scale_[i];
  }
  for (size_t j = 0; j < variables_; ++j) column_scale_[j] = scale_for(widest[j]);
  double most_limit = 0, most_cost = 0;
  for (size_t i = 0; i < height_; ++i) {
    most_limit = std::max(most_limit, std::fabs(program_->rows[i].limit * row_scale_[i]));
  }
  for (size_t j = 0; j < variables_; ++j) {
    most_cost = std::max(most_cost, std::fabs(program_->costs[j]) * column_scale_[j]);
  }
  limit_scale_ = scale_for(most_limit);
  cost_scale_ = scale_for(most_cost);
}

/// Fills in the reduced costs of the present basis.
void Table::price(const std::vector<double>& costs) {
  for (size_t j = 0; j < width_; ++j) reduced(j) = j < costs.size() ? costs[j] : 0;
  for (size_t i = 0; i < height_; ++i) {
    const double cost = basis_[i] < costs.size() ? costs[basis_[i]] : 0;
    if (cost == 0) continue;
    for (size_t j = 0; j < width_; ++j) reduced(j) -= cost * at(i, j);
  }
}

/// The column that gains most; the first one that gains if `is_careful`.
size_t Table::choose_column(bool may_use_artificial, bool is_careful) {
  size_t chosen = kNone;
  double least = -kTiny;
  for (size_t j = 0; j + 1 < width_; ++j) {
    if (reduced(j) >= least || (!may_use_artificial && is_artificial(j))) continue;
    chosen = j;
    if (is_careful) return chosen;
    least = reduced(j);
  }
  return chosen;
}

/// The row whose limit is reached first; of equal ones that of the first column, as Bland's rule
/// has it.
size_t Table::choose_row(size_t column) {
  size_t chosen = kNone;
  double nearest = std::numeric_limits<double>::infinity();
  for (size_t i = 0; i < height_; ++i) {
    const double factor = at(i, column);
    if (factor <= kTiny) continue;
    const double distance = std::max(0.0, limit(i)) / factor;
    if (distance > nearest + kTiny * kTiny) continue;
    if (distance >= nearest - kTiny * kTiny && basis_[i] > basis_[chosen]) continue;
    nearest = distance;
    chosen = i;
  }
  return chosen;
}

void Table::pivot(size_t row, size_t column) {
  double* const source = &at(row, 0);
  const double factor = 1 / source[column];
  for (size_t j = 0; j < width_; ++j) source[j] *= factor;
  source[column] = 1;
  for (size_t i = 0; i <= height_; ++i) {
    double* const target = &at(i, 0);
    const double times = target[column];
    if (i == row || times == 0) continue;
    for (size_t j = 0; j < width_; ++j) target[j] -= times * source[j];
    target[column] = 0;
  }
  basis_[row] = column;
}

/// The best gain is fast, but may go round in circles where it gains nothing: then Bland's rule,
/// which never does, until there is progress again.
Table::Outcome Table::optimise(bool may_use_artificial) {
  const size_t most = 1000 + 50 * (height_ + width_);
  size_t without_progress = 0;
  for (size_t step = 0; step < most; ++step) {
    const size_t column = choose_column(may_use_artificial, without_progress > height_ / 4 + 4);
    if (column == kNone) return Outcome::kOptimal;
    const size_t row = choose_row(column);
    if (row == kNone) return Outcome::kUnbounded;
    const double before = limit(height_);
    pivot(row, column);
    without_progress =
        std::fabs(limit(height_) - before) > kTiny * kTiny ? 0 : without_progress + 1;
  }
  return Outcome::kGaveUp;
}

/// What rows lack is 0 now, and has to stay so. Rows that say nothing new keep theirs: they are 0
/// everywhere else.
void Table::drive_out_artificial() {
  for (size_t i = 0; i < height_; ++i) {
    if (!is_artificial(basis_[i])) continue;
    size_t chosen = kNone;
    for (size_t j = 0; j + 1 < width_; ++j) {
      if (is_artificial(j) || std::fabs(at(i, j)) <= kTiny) continue;
      if (chosen == kNone || std::fabs(at(i, j)) > std::fabs(at(i, chosen))) chosen = j;
    }
    if (chosen != kNone) {
      limit(i) = 0;
      pivot(i, chosen);
    }
  }
}

LinearSolution Table::solve() {
  LinearSolution solution;
  if (std::ranges::find(is_artificial_, uint8_t{1}) != is_artificial_.end()) {
    std::vector<double> lacks(variables_ + height_);
    for (size_t i = 0; i < height_; ++i) lacks[variables_ + i] = is_artificial_[i];
    price(lacks);
    solution.outcome = optimise(true);
    if (solution.outcome != Outcome::kOptimal) return solution;
    if (-limit(height_) > kTiny * static_cast<double>(height_)) {
      solution.outcome = Outcome::kInfeasible;
      return solution;
    }
    drive_out_artificial();
  }
  std::vector<double> costs(variables_);
  for (size_t j = 0; j < variables_; ++j) {
    costs[j] = program_->costs[j] * column_scale_[j] * cost_scale_;
  }
  price(costs);
  solution.outcome = optimise(false);
  if (solution.outcome != Outcome::kOptimal) return solution;

  solution.variables.assign(variables_, 0);
  for (size_t i = 0; i < height_; ++i) {
    if (basis_[i] >= variables_) continue;
    solution.variables[basis_[i]] =
        std::max(0.0, limit(i)) * column_scale_[basis_[i]] / limit_scale_;
  }
  for (size_t j = 0; j < variables_; ++j) {
    solution.value += program_->costs[j] * solution.variables[j];
  }
  for (size_t i = 0; i < height_; ++i) {
    solution.prices.push_back(-reduced(variables_ + i) * row_scale_[i] / cost_scale_);
  }
  return solution;
}

}  // namespace

LinearSolution solve(const LinearProgram& program) { return Table(program).solve(); }

}  // namespace perseid
