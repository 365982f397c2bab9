// tests/run/openmp/programs/starpu_teams.cpp: StarPU tasks whose codelet opens a parallel region
// with OpenMP tasks in it.
#include <starpu.h>

#include <atomic>
#include <cstdio>

namespace {

constexpr int kTasks = 8;
constexpr int kInnerTasks = 4;
std::atomic<long> g_members{0}, g_inner{0};

void open_team(void**, void*) {
#pragma omp parallel num_threads(2)  // at: team
  {
    ++g_members;
#pragma omp single
    for (int i = 0; i < kInnerTasks; ++i) {
#pragma omp task  // at: inner
      ++g_inner;
    }
  }
}

}  // namespace

int main() {
  if (starpu_init(nullptr) != 0) return 1;
  static starpu_codelet codelet;
  starpu_codelet_init(&codelet);
  codelet.cpu_funcs[0] = open_team;
  codelet.nbuffers = 0;
  codelet.name = "team";
  for (int i = 0; i < kTasks; ++i) {
    starpu_task* task = starpu_task_create();
    task->cl = &codelet;
    if (starpu_task_submit(task) != 0) return 1;
  }
  starpu_task_wait_for_all();
  starpu_shutdown();
  std::printf("%ld members, %ld inner tasks\n", g_members.load(), g_inner.load());
}
