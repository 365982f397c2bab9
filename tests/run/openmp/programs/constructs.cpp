// tests/run/openmp/programs/constructs.cpp: each construct a known number of times, in a function
// of its own. constructs_test.py knows the numbers; it finds lines by the words behind "// at:".
#include <omp.h>
#include <pthread.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>

namespace {

std::atomic<long> g_sum{0};

void add(long value) { g_sum.fetch_add(value); }

void simple_tasks() {
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 100; ++i) {
#pragma omp task firstprivate(i)  // at: simple_tasks
    add(i);
  }
}

long fib(int n) {
  if (n < 2) return n;
  long a = 0, b = 0;
#pragma omp task shared(a)
  a = fib(n - 1);
#pragma omp task shared(b)
  b = fib(n - 2);
#pragma omp taskwait  // at: fib_taskwait
  return a + b;
}

void recursive_tasks() {
#pragma omp parallel
#pragma omp single
  add(fib(10));
}

/// 1 writer, 3 readers, 1 writer, 2 exclusive, 1 reader: 1*3 + 3 + 2 + 2 = 10 edges.
void dependent_tasks() {
  long x = 0, mutex = 0;
#pragma omp parallel
#pragma omp single
  {
#pragma omp task depend(out : x) shared(x)  // at: first_writer
    x = 1;
    for (int i = 0; i < 3; ++i) {
#pragma omp task depend(in : x) shared(x)  // at: reader
      add(x);
    }
#pragma omp task depend(inout : x) shared(x)  // at: second_writer
    x = 2;
    for (int i = 0; i < 2; ++i) {
#pragma omp task depend(mutexinoutset : x) shared(mutex)  // at: exclusive
      mutex += 5;
    }
#pragma omp task depend(in : x) shared(x, mutex)  // at: last_reader
    add(x + mutex);
  }
}

void wait_for_dependences() {
  long x = 0;
#pragma omp parallel
#pragma omp single
  {
#pragma omp task depend(out : x) shared(x)
    x = 3;
#pragma omp taskwait depend(in : x)
    add(x);
#pragma omp task if (0) depend(inout : x) shared(x)
    x += 1;
    add(x);
  }
}

long wait_for_child() {
  long x = 0;
#pragma omp task depend(out : x) shared(x)
  x = 3;
#pragma omp taskwait depend(in : x)
  return x;
}

/// LLVM's runtime asserts that a thread holds no word of a tool when such a wait begins. It would
/// hold one in a worker that was in a team before, in a worker that is in the last barrier of its
/// region, and inside of another such wait.
void wait_for_dependences_anywhere() {
#pragma omp parallel num_threads(2)
  add(1);
#pragma omp parallel num_threads(2)
  if (omp_get_thread_num() == 1) add(wait_for_child());

  std::atomic<bool> is_done{false};
#pragma omp parallel num_threads(2)
  if (omp_get_thread_num() == 0) {
#pragma omp task shared(is_done)
    {
      add(wait_for_child());
      is_done = true;
    }
    constexpr int kMaxMilliseconds = 20000;
    for (int i = 0; i < kMaxMilliseconds && !is_done; ++i) usleep(1000);
  }

#pragma omp parallel num_threads(1)
  {
    long x = 0;
#pragma omp task depend(out : x) shared(x)
    x = wait_for_child();
#pragma omp taskwait depend(in : x)
    add(x);
  }
}

void kinds_of_tasks() {
#pragma omp parallel
#pragma omp single
  {
#pragma omp task if (0)  // at: undeferred
    add(1);
#pragma omp task final(1)  // at: final
    {
#pragma omp task  // at: included
      add(2);
    }
#pragma omp task mergeable  // at: mergeable
    add(3);
#pragma omp task untied  // at: untied
    {
      add(4);
#pragma omp taskyield
      add(5);
    }
  }
}

void detached_task() {
#ifndef WITHOUT_DETACH
  omp_event_handle_t event{};
  std::atomic<bool> is_known{false};
#pragma omp parallel num_threads(2)
#pragma omp single
  {
#pragma omp task detach(event) shared(is_known)  // at: detached
    is_known = true;
#pragma omp task shared(is_known, event)  // at: fulfiller
    omp_fulfill_event(event);
#pragma omp taskwait
    add(is_known ? 1 : 0);
  }
#endif
}

void grouped_tasks() {
#pragma omp parallel
#pragma omp single
  {
#pragma omp taskgroup  // at: taskgroup
    for (int i = 0; i < 10; ++i) {
#pragma omp task  // at: grouped
      {
#pragma omp task  // at: grandchild
        add(1);
      }
    }
  }
}

void task_loops() {
#pragma omp parallel
#pragma omp single
  {
#pragma omp taskloop grainsize(8)  // at: taskloop
    for (int i = 0; i < 64; ++i) add(i);
#pragma omp taskloop num_tasks(4) nogroup  // at: taskloop_nogroup
    for (int i = 0; i < 64; ++i) add(i);
  }
}

void loops() {
#pragma omp parallel
  {
#pragma omp for schedule(static)  // at: static_loop
    for (int i = 0; i < 100; ++i) add(i);
#pragma omp for schedule(dynamic, 10)  // at: dynamic_loop
    for (int i = 0; i < 100; ++i) add(i);
#pragma omp for schedule(guided) nowait
    for (int i = 0; i < 100; ++i) add(i);
  }
}

void other_work() {
#pragma omp parallel
  {
#pragma omp sections
    {
#pragma omp section
      add(1);
#pragma omp section
      add(2);
#pragma omp section
      add(3);
    }
#pragma omp single  // at: single
    add(4);
#pragma omp master  // at: master
    add(5);
#pragma omp barrier  // at: barrier
#pragma omp barrier
  }
}

void mutexes() {
  omp_lock_t lock;
  omp_nest_lock_t nest;
  omp_init_lock(&lock);
  omp_init_nest_lock(&nest);
  long in_critical = 0, in_lock = 0, in_nest = 0, in_ordered = 0, in_atomic = 0;
#pragma omp parallel
  {
    for (int i = 0; i < 5; ++i) {
#pragma omp critical  // at: critical
      ++in_critical;
    }
    omp_set_lock(&lock);  // at: lock
    ++in_lock;
    omp_unset_lock(&lock);
    omp_set_nest_lock(&nest);
    omp_set_nest_lock(&nest);
    ++in_nest;
    omp_unset_nest_lock(&nest);
    omp_unset_nest_lock(&nest);
#pragma omp for ordered schedule(dynamic)
    for (int i = 0; i < 10; ++i) {
#pragma omp ordered  // at: ordered
      ++in_ordered;
    }
#pragma omp atomic
    ++in_atomic;
  }
  add(in_critical + in_lock + in_nest + in_ordered + in_atomic);
  omp_destroy_lock(&lock);
  omp_destroy_nest_lock(&nest);
}

void reduction() {
  long sum = 0;
  double more[8] = {};
#pragma omp parallel for reduction(+ : sum) reduction(+ : more[:8])
  for (int i = 0; i < 1000; ++i) {
    sum += i;
    more[i % 8] += 1;
  }
  add(sum + static_cast<long>(more[3]));
}

void nested_regions() {
#pragma omp parallel num_threads(2)  // at: outer
  {
#pragma omp parallel num_threads(3)  // at: inner
    add(1);
  }
}

void cancelled_group() {
  long done = 0;
#pragma omp parallel
#pragma omp single
  {
#pragma omp taskgroup
    {
#pragma omp task
      {
#pragma omp cancel taskgroup  // at: cancel
      }
#pragma omp taskwait
      for (int i = 0; i < 5; ++i) {
#pragma omp task shared(done)
        {
#pragma omp atomic
          ++done;
        }
      }
    }
  }
  add(done == 0 || omp_get_cancellation() == 0 ? 0 : 1000);
}

void* second_initial_thread(void*) {
#pragma omp parallel num_threads(2)  // at: second_initial
  add(1);
  return nullptr;
}

}  // namespace

int main() {
  omp_set_max_active_levels(2);
  simple_tasks();
  recursive_tasks();
  dependent_tasks();
  wait_for_dependences();
  wait_for_dependences_anywhere();
  kinds_of_tasks();
  detached_task();
  grouped_tasks();
  task_loops();
  loops();
  other_work();
  mutexes();
  reduction();
  nested_regions();
  cancelled_group();
  pthread_t thread;
  pthread_create(&thread, nullptr, second_initial_thread, nullptr);
  pthread_join(thread, nullptr);
  std::printf("sum %ld\n", g_sum.load());
}
