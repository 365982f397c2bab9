// tests/run/openmp/programs/endings.cpp: the ways in which an OpenMP program may end. Each runs
// ten tasks first.
#include <dlfcn.h>
#include <omp.h>
#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace {

std::atomic<int> g_done{0};

void ten_tasks() {
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 10; ++i) {
#pragma omp task  // at: task
    ++g_done;
  }
}

struct RegionInDestructor {
  bool is_wanted = false;
  ~RegionInDestructor() {
    if (is_wanted) ten_tasks();
  }
} g_region_in_destructor;

void* run_ten_tasks(void*) {
  ten_tasks();
  return nullptr;
}

void in_new_thread() {
  pthread_t thread;
  pthread_create(&thread, nullptr, run_ten_tasks, nullptr);
  pthread_join(thread, nullptr);
}

/// The program ends with its last thread; LLVM's runtime has some that never end.
[[noreturn]] void leave_main() {
  std::printf("done %d\n", g_done.load());
  std::fflush(stdout);
  alarm(1);
  pthread_exit(nullptr);
}

int exit_in_task() {
#pragma omp parallel
#pragma omp single
  {
#pragma omp task
    {
      std::printf("done %d\n", g_done.load());
      std::fflush(stdout);
      std::exit(3);
    }
#pragma omp taskwait
  }
  return 1;
}

int in_plugin(const char* plugin) {
  void* library = dlopen(plugin, RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    std::printf("%s\n", dlerror());
    return 1;
  }
  const auto run = reinterpret_cast<int (*)()>(dlsym(library, "plugin_tasks"));
  std::printf("plugin %d\n", run());
  dlclose(library);
  return 0;
}

int in_child(bool child_works) {
  const pid_t child = fork();
  if (child == 0) {
    if (child_works) {
      omp_set_num_threads(1);
      ten_tasks();
    } else {
      alarm(
          4);  // LLVM 16's runtime hangs at the end of such a child, after an assertion of its own
    }
    std::exit(child_works ? 7 : 8);
  }
  int status = 0;
  waitpid(child, &status, 0);
  std::printf("child %d, signal %d\n", WEXITSTATUS(status), WTERMSIG(status));
  ten_tasks();
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const char* const way = argc > 1 ? argv[1] : "return";
  const auto is = [way](const char* name) { return std::strcmp(way, name) == 0; };
  if (is("plugin")) return in_plugin(argv[2]);
  ten_tasks();
  if (is("exit")) std::exit(4);
  if (is("exit_in_task")) return exit_in_task();
  if (is("destructor")) g_region_in_destructor.is_wanted = true;
  if (is("atexit")) std::atexit(ten_tasks);
  if (is("pause_hard")) {
    omp_pause_resource_all(omp_pause_hard);
    ten_tasks();
  }
  if (is("thread_after_pause")) {
    omp_pause_resource_all(omp_pause_hard);
    in_new_thread();
  }
  if (is("pause_soft")) {
    omp_pause_resource_all(omp_pause_soft);
    ten_tasks();
  }
  if (is("new_thread")) in_new_thread();
  if (is("thread_at_exit")) std::atexit(in_new_thread);
  if (is("pthread_exit")) leave_main();
  if (is("fork_idle")) return in_child(false);
  if (is("fork_works")) return in_child(true);
  if (is("quick_exit")) {
    std::printf("done %d\n", g_done.load());
    std::fflush(stdout);
    std::quick_exit(5);
  }
  if (is("_exit")) _exit(6);
  if (is("terminated")) raise(SIGTERM);
  if (is("killed")) raise(SIGKILL);
  std::printf("done %d\n", g_done.load());
  return 0;
}
