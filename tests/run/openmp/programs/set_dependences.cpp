// tests/run/openmp/programs/set_dependences.cpp: tasks with depend(inoutset), which clang 14 does
// not know: made by the calls that newer compilers make. One writer, three of the set, one reader.
#include <atomic>
#include <cstdint>
#include <cstdio>

extern "C" {
struct Location {
  int32_t reserved[4];
  const char* source;
};
struct Dependence {
  intptr_t address;
  size_t bytes;
  uint8_t flags;
};
int32_t __kmpc_global_thread_num(Location*);
void* __kmpc_omp_task_alloc(Location*, int32_t thread, int32_t flags, size_t bytes, size_t shared,
                            int32_t (*entry)(int32_t, void*));
int32_t __kmpc_omp_task_with_deps(Location*, int32_t thread, void* task, int32_t count,
                                  Dependence* dependences, int32_t, Dependence*);
}

namespace {

constexpr uint8_t kIn = 1, kInout = 3, kInoutset = 8;
std::atomic<int> g_done{0};

int32_t run(int32_t, void*) {
  ++g_done;
  return 0;
}

void create(intptr_t address, uint8_t flags) {
  static Location here{{0, 2, 0, 0}, ";set_dependences.cpp;create;0;0;;"};
  const int32_t thread = __kmpc_global_thread_num(&here);
  constexpr int32_t kTied = 1;
  constexpr size_t kTaskBytes = 40;
  void* const task = __kmpc_omp_task_alloc(&here, thread, kTied, kTaskBytes, 0, run);
  Dependence dependence{address, 8, flags};
  __kmpc_omp_task_with_deps(&here, thread, task, 1, &dependence, 0, nullptr);
}

}  // namespace

int main() {
  long x = 0;
  const auto address = reinterpret_cast<intptr_t>(&x);
#pragma omp parallel num_threads(2)
#pragma omp single
  {
    create(address, kInout);
    for (int i = 0; i < 3; ++i) create(address, kInoutset);
    create(address, kIn);
  }
  std::printf("%d tasks\n", g_done.load());
}
