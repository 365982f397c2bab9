// annotated.cpp: a blocked matrix product as a pipeline of threads, annotated with perseid.h.
//
//   main            cuts the product into tiles and queues them
//   worker 1, 2     take a tile, pack its inputs, multiply, and hand it on
//   main            collects the tiles and checks the product
//
// The program links nothing of Perseid: without `perseid run` the annotations do nothing.
#include <perseid.h>

#include <condition_variable>
#include <cstdint>
#include <cstdio>
#include <deque>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace {

constexpr size_t kSize = 640;
constexpr size_t kTile = 80;
constexpr size_t kTiles = kSize / kTile;
constexpr unsigned kWorkers = 2;

using Matrix = std::vector<double>;

/// A tile of the result on its way through the pipeline.
struct Tile {
  uint64_t id;
  size_t row;
  size_t column;
  perseid::LaneRange life;  // from the queue to the check; many of them overlap
};

/// Hands tiles from thread to thread, and shows its length as a counter.
class TileQueue {
 public:
  explicit TileQueue(const char* name) : name_(name) {}

  void push(Tile tile) {
    const std::lock_guard lock(mutex_);
    tiles_.push_back(std::move(tile));
    perseid_counter(name_, static_cast<double>(tiles_.size()));
    filled_.notify_one();
  }

  void close() {
    const std::lock_guard lock(mutex_);
    is_closed_ = true;
    filled_.notify_all();
  }

  /// False when the queue is closed and empty.
  bool pop(std::vector<Tile>& into) {
    std::unique_lock lock(mutex_);
    if (tiles_.empty() && !is_closed_) {
      const perseid::Range waiting("wait for a tile");
      filled_.wait(lock, [&] { return !tiles_.empty() || is_closed_; });
    }
    if (tiles_.empty()) return false;
    into.push_back(std::move(tiles_.front()));
    tiles_.pop_front();
    perseid_counter(name_, static_cast<double>(tiles_.size()));
    return true;
  }

 private:
  const char* name_;
  std::mutex mutex_;
  std::condition_variable filled_;
  std::deque<Tile> tiles_;
  bool is_closed_ = false;
};

/// Small whole numbers, so that every sum is exact.
Matrix make_matrix(size_t factor) {
  Matrix matrix(kSize * kSize);
  for (size_t i = 0; i < matrix.size(); ++i) matrix[i] = static_cast<double>(i * factor % 7) - 3;
  return matrix;
}

void pack(const Matrix& from, size_t row, size_t column, Matrix& tile) {
  const perseid::Range range("pack", {{"row", row}, {"column", column}});
  for (size_t i = 0; i < kTile; ++i) {
    for (size_t j = 0; j < kTile; ++j) {
      tile[i * kTile + j] = from[(row * kTile + i) * kSize + column * kTile + j];
    }
  }
}

void multiply_add(const Matrix& a, const Matrix& b, Matrix& c, size_t row, size_t column) {
  perseid::Range range("multiply");
  for (size_t i = 0; i < kTile; ++i) {
    for (size_t k = 0; k < kTile; ++k) {
      const double factor = a[i * kTile + k];
      double* line = &c[(row * kTile + i) * kSize + column * kTile];
      for (size_t j = 0; j < kTile; ++j) line[j] += factor * b[k * kTile + j];
    }
  }
  range.end({{"operations", 2 * kTile * kTile * kTile}});
}

/// Tiles of the result are disjoint: workers never write the same element.
void work(unsigned number, const Matrix& a, const Matrix& b, Matrix& c, TileQueue& todo,
          TileQueue& done) {
  perseid_name_thread(("worker " + std::to_string(number)).c_str());
  Matrix a_tile(kTile * kTile);
  Matrix b_tile(kTile * kTile);
  std::vector<Tile> taken;
  while (todo.pop(taken)) {
    Tile tile = std::move(taken.back());
    taken.pop_back();
    {
      const perseid::Range range("tile", {{"row", tile.row}, {"column", tile.column}});
      perseid_flow_in(2 * tile.id);
      for (size_t k = 0; k < kTiles; ++k) {
        pack(a, tile.row, k, a_tile);
        pack(b, k, tile.column, b_tile);
        multiply_add(a_tile, b_tile, c, tile.row, tile.column);
      }
      perseid_flow_out(2 * tile.id + 1);
    }
    done.push(std::move(tile));
  }
}

Matrix times_vector(const Matrix& matrix, const Matrix& vector) {
  Matrix result(kSize, 0.0);
  for (size_t i = 0; i < kSize; ++i) {
    for (size_t j = 0; j < kSize; ++j) result[i] += matrix[i * kSize + j] * vector[j];
  }
  return result;
}

/// C x = A (B x) for a vector of whole numbers: exact, and far cheaper than a second product.
bool is_product(const Matrix& a, const Matrix& b, const Matrix& c) {
  const perseid::Range range("check the product");
  Matrix x(kSize);
  for (size_t i = 0; i < kSize; ++i) x[i] = static_cast<double>(i % 5) - 2;
  return times_vector(c, x) == times_vector(a, times_vector(b, x));
}

void submit_all(TileQueue& todo) {
  const perseid::Range range("submit", {{"tiles", kTiles * kTiles}});
  const perseid_lane lane = perseid_lane_named("tiles in flight");
  uint64_t id = 0;
  for (size_t row = 0; row < kTiles; ++row) {
    for (size_t column = 0; column < kTiles; ++column) {
      const perseid::Range one("queue a tile");
      const std::string name = "tile " + std::to_string(row) + "," + std::to_string(column);
      ++id;
      perseid_flow_out(2 * id);
      todo.push({id, row, column, perseid::LaneRange(lane, name.c_str())});
    }
  }
  todo.close();
}

void collect_all(TileQueue& done) {
  std::vector<Tile> collected;
  for (size_t count = 0; count < kTiles * kTiles && done.pop(collected); ++count) {
    const perseid::Range range("collect a tile");
    Tile& tile = collected.back();
    perseid_flow_in(2 * tile.id + 1);
    tile.life.end({{"id", tile.id}});
    perseid_counter("tiles done", static_cast<double>(count + 1));
  }
}

}  // namespace

int main() {
  perseid_name_thread("main");
  perseid_phase("set up");
  perseid_begin("fill the matrices");
  const Matrix a = make_matrix(3);
  const Matrix b = make_matrix(5);
  Matrix c(kSize * kSize, 0.0);
  perseid_end();

  perseid_phase("multiply");
  TileQueue todo("tiles to do");
  TileQueue done("tiles to collect");
  std::vector<std::thread> workers;
  for (unsigned i = 1; i <= kWorkers; ++i) {
    workers.emplace_back([&, i] { work(i, a, b, c, todo, done); });
  }
  submit_all(todo);
  collect_all(done);
  for (std::thread& worker : workers) worker.join();

  perseid_phase("check");
  const bool is_right = is_product(a, b, c);
  perseid::instant("verdict", {{"is_right", is_right}});
  perseid_phase(nullptr);
  std::printf("product of two %zu x %zu matrices in %zu tiles: %s\n", kSize, kSize, kTiles * kTiles,
              is_right ? "right" : "WRONG");
  return is_right ? 0 : 1;
}
