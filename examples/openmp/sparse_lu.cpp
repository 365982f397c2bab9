// examples/openmp/sparse_lu.cpp: LU factorisation of a sparse matrix of dense blocks with OpenMP
// tasks. Nothing in it knows about tracing.
//
//   sparse_lu [BLOCKS [BLOCK_SIZE]]      default 12 blocks of 64 x 64 in each direction
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <vector>

namespace {

using Block = std::unique_ptr<double[]>;  // null: all zeros

class Matrix {
 public:
  Matrix(int blocks, int size) : blocks_(blocks), size_(size), data_(area(blocks)) {
    for (int row = 0; row < blocks; ++row) {
      for (int column = 0; column < blocks; ++column) {
        const bool is_near = std::abs(row - column) <= 1;
        if (is_near || (row * 7 + column * 3) % 5 == 0) fill(row, column);
      }
    }
  }

  int blocks() const { return blocks_; }
  int size() const { return size_; }
  double* at(int row, int column) { return data_[index(row, column)].get(); }
  void make(int row, int column) { data_[index(row, column)] = Block(new double[area(size_)]()); }

  double checksum() {
    double sum = 0;
    for (const Block& block : data_) {
      for (size_t i = 0; block && i < area(size_); ++i) sum += std::fabs(block[i]);
    }
    return sum;
  }

 private:
  static size_t area(int side) { return static_cast<size_t>(side) * static_cast<size_t>(side); }
  size_t index(int row, int column) const { return static_cast<size_t>(row * blocks_ + column); }

  void fill(int row, int column) {
    make(row, column);
    double* block = at(row, column);
    for (int i = 0; i < size_ * size_; ++i)
      block[i] = ((i * 31 + row * 17 + column * 13) % 97) / 97.0;
    if (row != column) return;
    for (int i = 0; i < size_; ++i) block[i * size_ + i] += 4.0 * size_;
  }

  int blocks_;
  int size_;
  std::vector<Block> data_;
};

/// L and U of a block on the diagonal, in its place.
void factor(double* a, int n) {
  for (int k = 0; k < n; ++k) {
    for (int i = k + 1; i < n; ++i) {
      a[i * n + k] /= a[k * n + k];
      for (int j = k + 1; j < n; ++j) a[i * n + j] -= a[i * n + k] * a[k * n + j];
    }
  }
}

void solve_row(const double* diagonal, double* block, int n) {
  for (int k = 0; k < n; ++k) {
    for (int i = k + 1; i < n; ++i) {
      for (int j = 0; j < n; ++j) block[i * n + j] -= diagonal[i * n + k] * block[k * n + j];
    }
  }
}

void solve_column(const double* diagonal, double* block, int n) {
  for (int i = 0; i < n; ++i) {
    for (int k = 0; k < n; ++k) {
      block[i * n + k] /= diagonal[k * n + k];
      for (int j = k + 1; j < n; ++j) block[i * n + j] -= block[i * n + k] * diagonal[k * n + j];
    }
  }
}

void update(const double* column, const double* row, double* inner, int n) {
  for (int i = 0; i < n; ++i) {
    for (int k = 0; k < n; ++k) {
      for (int j = 0; j < n; ++j) inner[i * n + j] -= column[i * n + k] * row[k * n + j];
    }
  }
}

/// One task per block and step. Dependences, not barriers, decide what may run when: the last
/// updates of a step overlap with the next step's factorisation. Returns how many tasks it has
/// created.
long factorise(Matrix& matrix) {
  long tasks = 0;
  const int blocks = matrix.blocks();
  const int n = matrix.size();
  for (int k = 0; k < blocks; ++k) {
    double* diagonal = matrix.at(k, k);
#pragma omp task depend(inout : diagonal[0]) firstprivate(diagonal)
    factor(diagonal, n);
    ++tasks;
    for (int j = k + 1; j < blocks; ++j) {
      double* row = matrix.at(k, j);
      if (!row) continue;
#pragma omp task depend(in : diagonal[0]) depend(inout : row[0]) firstprivate(diagonal, row)
      solve_row(diagonal, row, n);
      ++tasks;
    }
    for (int i = k + 1; i < blocks; ++i) {
      double* column = matrix.at(i, k);
      if (!column) continue;
#pragma omp task depend(in : diagonal[0]) depend(inout : column[0]) firstprivate(diagonal, column)
      solve_column(diagonal, column, n);
      ++tasks;
      for (int j = k + 1; j < blocks; ++j) {
        double* row = matrix.at(k, j);
        if (!row) continue;
        if (!matrix.at(i, j)) matrix.make(i, j);
        double* inner = matrix.at(i, j);
#pragma omp task depend(in                                \
                        : column[0], row[0]) depend(inout \
                                                    : inner[0]) firstprivate(column, row, inner)
        update(column, row, inner, n);
        ++tasks;
      }
    }
  }
  return tasks;
}

}  // namespace

int main(int argc, char** argv) {
  const int blocks = argc > 1 ? std::atoi(argv[1]) : 12;
  const int size = argc > 2 ? std::atoi(argv[2]) : 64;
  if (blocks < 1 || size < 1 || blocks > 1000 || size > 1000) {
    std::fprintf(stderr, "usage: sparse_lu [BLOCKS [BLOCK_SIZE]]\n");
    return 2;
  }
  Matrix matrix(blocks, size);
  long tasks = 0;
#pragma omp parallel
#pragma omp single
  tasks = factorise(matrix);
  std::printf("%d x %d blocks of %d x %d, %ld tasks, checksum %.6e\n", blocks, blocks, size, size,
              tasks, matrix.checksum());
}
