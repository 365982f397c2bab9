// tests/run/openmp/programs/more_constructs.cpp: constructs that fewer programs use, each a known
// number of times. more_constructs_test.py knows the numbers.
#include <omp.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>

namespace {

std::atomic<long> g_sum{0};

void add(long value) { g_sum.fetch_add(value); }

void wait_until(const std::atomic<bool>& is_true) {
  constexpr int kMaxMilliseconds = 20000;
  for (int i = 0; i < kMaxMilliseconds && !is_true; ++i) usleep(1000);
}

void league() {
#pragma omp teams num_teams(2) thread_limit(1)  // at: league
#pragma omp distribute
  for (int i = 0; i < 8; ++i) add(i);
}

void guided_loop() {
#pragma omp parallel num_threads(2)
#pragma omp for schedule(guided, 5)  // at: guided_loop
  for (int i = 0; i < 200; ++i) add(1);
}

/// One thread: with more, LLVM's runtime sometimes leaves one behind in the barrier of the region.
void cancelled_region() {
#pragma omp parallel num_threads(1)
  {
#pragma omp cancel parallel  // at: cancel_parallel
    add(1000);
  }
}

void cancelled_loop() {
#pragma omp parallel num_threads(2)
#pragma omp for schedule(dynamic)
  for (int i = 0; i < 100; ++i) {
#pragma omp cancel for  // at: cancel_for
  }
}

void tested_locks() {
  omp_lock_t lock;
  omp_init_lock(&lock);
  omp_set_lock(&lock);  // at: held_lock
  std::atomic<bool> has_failed{false};
#pragma omp parallel num_threads(2)
  if (omp_get_thread_num() == 1) {
    add(omp_test_lock(&lock));  // fails: it leaves no slice
    has_failed = true;
  } else {
    wait_until(has_failed);
  }
  omp_unset_lock(&lock);
  add(omp_test_lock(&lock));  // at: tested_lock
  omp_unset_lock(&lock);
  omp_destroy_lock(&lock);
}

/// The second thread stands at the critical section until the first has left it.
void contended_critical() {
  std::atomic<bool> is_inside{false}, is_asking{false};
#pragma omp parallel num_threads(2)
  {
    const bool is_second = omp_get_thread_num() == 1;
    if (is_second) {
      wait_until(is_inside);
      is_asking = true;
    }
#pragma omp critical(contended)  // at: contended
    if (!is_second) {
      is_inside = true;
      wait_until(is_asking);
      usleep(20000);
    }
  }
}

void iterated_dependences() {
  long cells[4] = {};
#pragma omp parallel num_threads(2)
#pragma omp single
  {
    for (int i = 0; i < 4; ++i) {
#pragma omp task depend(out : cells[i]) shared(cells)  // at: cell
      cells[i] = i;
    }
#pragma omp task depend(iterator(int j = 0 : 4), in : cells[j]) shared(cells)  // at: all_cells
    add(cells[0] + cells[1] + cells[2] + cells[3]);
  }
}

void object_dependence() {
  long x = 0;
  omp_depend_t object;
#pragma omp depobj(object) depend(inout : x)
#pragma omp parallel num_threads(2)
#pragma omp single
  {
#pragma omp task depend(depobj : object) shared(x)
    x = 1;
#pragma omp task depend(depobj : object) shared(x)  // at: after_object
    add(x);
  }
#pragma omp depobj(object) destroy
}

void reducing_tasks() {
  long sum = 0;
#pragma omp parallel num_threads(2)
#pragma omp single
#pragma omp taskgroup task_reduction(+ : sum)
  for (int i = 0; i < 6; ++i) {
#pragma omp task in_reduction(+ : sum)  // at: reducing_task
    sum += i;
  }
  add(sum);
}

void reducing_taskloop() {
  long sum = 0;
#pragma omp parallel num_threads(2)
#pragma omp single
#pragma omp taskloop reduction(+ : sum) num_tasks(5)  // at: reducing_taskloop
  for (int i = 0; i < 50; ++i) sum += i;
  add(sum);
}

/// With more than four threads the runtime combines the parts of two threads at a time.
void tree_reduction() {
  long sum = 0;
#pragma omp parallel for num_threads(6) reduction(+ : sum)  // at: tree
  for (int i = 0; i < 600; ++i) sum += i;
  add(sum);
}

void masked_regions() {
#pragma omp parallel num_threads(2)
  {
#pragma omp masked filter(1)  // at: masked
    add(1);
#pragma omp barrier
#pragma omp masked  // at: masked_by_first
    add(2);
#pragma omp barrier
  }
}

void cancelled_sections() {
#pragma omp parallel num_threads(1)
#pragma omp sections
  {
#pragma omp section
    {
#pragma omp cancel sections  // at: cancel_sections
    }
#pragma omp section
    add(1000);
  }
}

/// The event is fulfilled by another task, after the detached task's own code is done.
void late_event() {
  omp_event_handle_t event{};
  std::atomic<bool> is_over{false};
  long x = 0;
#pragma omp parallel num_threads(2)
#pragma omp single
  {
#pragma omp task detach(event) depend(out : x) shared(is_over)  // at: late_detached
    is_over = true;
#pragma omp task shared(is_over, event)  // at: late_fulfiller
    {
      wait_until(is_over);
      usleep(2000);
      omp_fulfill_event(event);
    }
#pragma omp task depend(in : x)  // at: after_event
    add(1);
  }
}

/// The creator waits while another thread runs its child: an arrow says whose end it waited for.
void waits_for_other_thread() {
  std::atomic<bool> is_taken{false};
#pragma omp parallel num_threads(2)
  if (omp_get_thread_num() == 0) {
#pragma omp task shared(is_taken)  // at: child_elsewhere
    {
      is_taken = true;
      usleep(20000);
    }
    wait_until(is_taken);
#pragma omp taskwait  // at: wait_for_child
  }
}

/// Suspended at its scheduling point while another task runs: two intervals, an arrow between.
void resumed_task() {
#pragma omp parallel num_threads(2)
#pragma omp single
  for (int i = 0; i < 20; ++i) {
#pragma omp task untied  // at: resumed
    {
      add(1);
#pragma omp taskyield
      add(1);
    }
  }
}

[[gnu::always_inline]] inline void inlined_creator() {
#pragma omp task  // at: inlined_task
  add(1);
}

void calls_inlined() {
#pragma omp parallel num_threads(2)
#pragma omp single
  inlined_creator();
}

template <class Number>
struct Box {
  void in_template() {
#pragma omp parallel num_threads(2)
#pragma omp single
    {
#pragma omp task  // at: template_task
      add(1);
    }
  }
};

}  // namespace

int main() {
  league();
  guided_loop();
  cancelled_region();
  cancelled_loop();
  cancelled_sections();
  tested_locks();
  contended_critical();
  iterated_dependences();
  object_dependence();
  reducing_tasks();
  reducing_taskloop();
  tree_reduction();
  masked_regions();
  late_event();
  waits_for_other_thread();
  resumed_task();
  calls_inlined();
  Box<long>().in_template();
  std::printf("sum %ld\n", g_sum.load());
}
