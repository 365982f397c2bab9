/* A Cholesky factorisation A = L L^T by tiles. StarPU finds the order of the tasks itself, from the
 * tiles they read and write.
 *
 *   cholesky [tiles [size of a tile]]
 */
#include <math.h>
#include <starpu.h>
#include <stdio.h>
#include <stdlib.h>

static unsigned tiles = 8;
static unsigned size = 96;

/* Tiles are stored by columns, as the elements in them are. */
static double* tile_of(double* matrix, unsigned row, unsigned column) {
  return matrix + ((size_t)column * tiles + row) * size * size;
}

/* The kernels. Each sees the tiles that its task names, in that order. */

static void factor_diagonal(void* buffers[], void* unused) {
  (void)unused;
  double* a = (double*)STARPU_MATRIX_GET_PTR(buffers[0]);
  const unsigned n = STARPU_MATRIX_GET_NX(buffers[0]);
  for (unsigned j = 0; j < n; ++j) {
    for (unsigned k = 0; k < j; ++k) {
      for (unsigned i = j; i < n; ++i) a[i + j * n] -= a[i + k * n] * a[j + k * n];
    }
    const double pivot = sqrt(a[j + j * n]);
    for (unsigned i = j; i < n; ++i) a[i + j * n] /= pivot;
    for (unsigned i = 0; i < j; ++i) a[i + j * n] = 0;
  }
}

static void solve_panel(void* buffers[], void* unused) {
  (void)unused;
  const double* l = (const double*)STARPU_MATRIX_GET_PTR(buffers[0]);
  double* b = (double*)STARPU_MATRIX_GET_PTR(buffers[1]);
  const unsigned n = STARPU_MATRIX_GET_NX(buffers[1]);
  for (unsigned j = 0; j < n; ++j) {
    for (unsigned k = 0; k < j; ++k) {
      for (unsigned i = 0; i < n; ++i) b[i + j * n] -= b[i + k * n] * l[j + k * n];
    }
    for (unsigned i = 0; i < n; ++i) b[i + j * n] /= l[j + j * n];
  }
}

static void subtract_product(const double* a, const double* b, double* c, unsigned n) {
  for (unsigned j = 0; j < n; ++j) {
    for (unsigned k = 0; k < n; ++k) {
      for (unsigned i = 0; i < n; ++i) c[i + j * n] -= a[i + k * n] * b[j + k * n];
    }
  }
}

static void update_diagonal(void* buffers[], void* unused) {
  (void)unused;
  const double* a = (const double*)STARPU_MATRIX_GET_PTR(buffers[0]);
  double* c = (double*)STARPU_MATRIX_GET_PTR(buffers[1]);
  subtract_product(a, a, c, STARPU_MATRIX_GET_NX(buffers[1]));
}

static void update(void* buffers[], void* unused) {
  (void)unused;
  const double* a = (const double*)STARPU_MATRIX_GET_PTR(buffers[0]);
  const double* b = (const double*)STARPU_MATRIX_GET_PTR(buffers[1]);
  double* c = (double*)STARPU_MATRIX_GET_PTR(buffers[2]);
  subtract_product(a, b, c, STARPU_MATRIX_GET_NX(buffers[2]));
}

static struct starpu_codelet potrf = {
    .name = "potrf", .cpu_funcs = {factor_diagonal}, .nbuffers = 1, .modes = {STARPU_RW}};
static struct starpu_codelet trsm = {
    .name = "trsm", .cpu_funcs = {solve_panel}, .nbuffers = 2, .modes = {STARPU_R, STARPU_RW}};
static struct starpu_codelet syrk = {
    .name = "syrk", .cpu_funcs = {update_diagonal}, .nbuffers = 2, .modes = {STARPU_R, STARPU_RW}};
static struct starpu_codelet gemm = {
    .name = "gemm", .cpu_funcs = {update}, .nbuffers = 3, .modes = {STARPU_R, STARPU_R, STARPU_RW}};

static void check(int result, const char* what) {
  if (result == 0) return;
  fprintf(stderr, "%s: error %d\n", what, -result);
  exit(1);
}

/* Submits all tasks and waits for none: StarPU runs each when its tiles are ready. Tasks on the
 * way to the next diagonal tile go first. */
static unsigned submit(starpu_data_handle_t* handles) {
  const double n = size;
  unsigned tasks = 0;
#define TILE(row, column) handles[(column)*tiles + (row)]
  for (unsigned k = 0; k < tiles; ++k) {
    starpu_iteration_push(k);
    const int last = (int)(2 * (tiles - k));
    check(starpu_task_insert(&potrf, STARPU_RW, TILE(k, k), STARPU_PRIORITY, last, STARPU_FLOPS,
                             n * n * n / 3, 0),
          "potrf");
    ++tasks;
    for (unsigned i = k + 1; i < tiles; ++i) {
      check(starpu_task_insert(&trsm, STARPU_R, TILE(k, k), STARPU_RW, TILE(i, k), STARPU_PRIORITY,
                               i == k + 1 ? last - 1 : 0, STARPU_FLOPS, n * n * n, 0),
            "trsm");
      ++tasks;
    }
    for (unsigned j = k + 1; j < tiles; ++j) {
      check(starpu_task_insert(&syrk, STARPU_R, TILE(j, k), STARPU_RW, TILE(j, j), STARPU_PRIORITY,
                               j == k + 1 ? last - 1 : 0, STARPU_FLOPS, n * n * n, 0),
            "syrk");
      ++tasks;
      for (unsigned i = j + 1; i < tiles; ++i) {
        check(starpu_task_insert(&gemm, STARPU_R, TILE(i, k), STARPU_R, TILE(j, k), STARPU_RW,
                                 TILE(i, j), STARPU_FLOPS, 2 * n * n * n, 0),
              "gemm");
        ++tasks;
      }
    }
    starpu_iteration_pop();
  }
#undef TILE
  return tasks;
}

/* A symmetric matrix with a heavy diagonal has a factorisation. Only the lower half is used. */
static void fill(double* matrix) {
  const double weight = (double)tiles * size;
  for (unsigned column = 0; column < tiles; ++column) {
    for (unsigned row = column; row < tiles; ++row) {
      double* tile = tile_of(matrix, row, column);
      for (unsigned j = 0; j < size; ++j) {
        for (unsigned i = 0; i < size; ++i) {
          const unsigned x = row * size + i, y = column * size + j;
          const unsigned low = x < y ? x : y, high = x < y ? y : x;
          tile[i + j * size] = 1.0 / (1 + (high * 31 + low * 17) % 97) + (x == y ? weight : 0);
        }
      }
    }
  }
}

/* y = M x for the lower half of M, or its transpose; `is_symmetric`: the other half mirrors it. */
static void multiply(double* matrix, const double* x, double* y, int transposes, int is_symmetric) {
  const size_t n = (size_t)tiles * size;
  for (size_t i = 0; i < n; ++i) y[i] = 0;
  for (unsigned column = 0; column < tiles; ++column) {
    for (unsigned row = column; row < tiles; ++row) {
      const double* tile = tile_of(matrix, row, column);
      for (unsigned j = 0; j < size; ++j) {
        for (unsigned i = 0; i < size; ++i) {
          const size_t at = (size_t)row * size + i, to = (size_t)column * size + j;
          const double value = tile[i + j * size];
          if (transposes)
            y[to] += value * x[at];
          else
            y[at] += value * x[to];
          if (is_symmetric && row != column) y[to] += value * x[at];
        }
      }
    }
  }
}

/* The largest difference between A x and L (L^T x), against the largest entry of A x. */
static double error_of(double* matrix, double* factor) {
  const size_t n = (size_t)tiles * size;
  double* x = malloc(4 * n * sizeof *x);
  double *expected = x + n, *half = x + 2 * n, *found = x + 3 * n;
  for (size_t i = 0; i < n; ++i) x[i] = (double)(i % 7) - 3;
  multiply(matrix, x, expected, 0, 1);
  multiply(factor, x, half, 1, 0);
  multiply(factor, half, found, 0, 0);
  double worst = 0, largest = 0;
  for (size_t i = 0; i < n; ++i) {
    worst = fmax(worst, fabs(expected[i] - found[i]));
    largest = fmax(largest, fabs(expected[i]));
  }
  free(x);
  return worst / largest;
}

int main(int argc, char** argv) {
  if (argc > 1) tiles = (unsigned)strtoul(argv[1], NULL, 10);
  if (argc > 2) size = (unsigned)strtoul(argv[2], NULL, 10);
  if (tiles == 0 || tiles > 64 || size == 0 || size > 1024) {
    fprintf(stderr, "usage: cholesky [tiles, at most 64 [size of a tile, at most 1024]]\n");
    return 2;
  }
  const size_t elements = (size_t)tiles * tiles * size * size;
  double* matrix = calloc(elements, sizeof *matrix);
  double* factor = calloc(elements, sizeof *factor);
  starpu_data_handle_t* handles = calloc((size_t)tiles * tiles, sizeof *handles);
  if (!matrix || !factor || !handles) {
    fprintf(stderr, "not enough memory\n");
    return 1;
  }
  fill(matrix);
  for (size_t i = 0; i < elements; ++i) factor[i] = matrix[i];

  check(starpu_init(NULL), "starpu_init");
  for (unsigned column = 0; column < tiles; ++column) {
    for (unsigned row = column; row < tiles; ++row) {
      starpu_data_handle_t* handle = &handles[column * tiles + row];
      starpu_matrix_data_register(handle, STARPU_MAIN_RAM, (uintptr_t)tile_of(factor, row, column),
                                  size, size, size, sizeof *factor);
      starpu_data_set_name(*handle, "A");
      starpu_data_set_coordinates(*handle, 2, (int)row, (int)column);
    }
  }
  const unsigned tasks = submit(handles);
  check(starpu_task_wait_for_all(), "starpu_task_wait_for_all");
  for (unsigned i = 0; i < tiles * tiles; ++i) {
    if (handles[i]) starpu_data_unregister(handles[i]);
  }
  starpu_shutdown();

  const double error = error_of(matrix, factor);
  const int is_right = error < 1e-10;
  printf("%u x %u tiles of %u x %u, %u tasks: %s\n", tiles, tiles, size, size, tasks,
         is_right ? "right" : "wrong");
  free(matrix);
  free(factor);
  free(handles);
  return is_right ? 0 : 1;
}
