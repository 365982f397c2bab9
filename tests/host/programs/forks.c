/* Children of every kind.
 *
 *   forks HOW CHILD_EVENTS PARENT_EVENTS
 *
 * HOW: fork (child returns from main), _exit (child leaves by _exit), raw (SYS_fork, child calls
 * exit), raw_thread (the same from a second thread that ends by pthread_exit), vfork, spawn,
 * system, exec (fork, then this program again in the child), twice (a grandchild) or busy (another
 * thread records during the fork). Parent numbers start at 0, those of children at 1 << 40. */
#define _GNU_SOURCE
#include <pthread.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "include/perseid.h"

extern char** environ;
static const char* g_self;
static int g_stop;
static uint64_t g_busy_events;

static void emit(uint64_t from, uint64_t count) {
  for (uint64_t i = 0; i < count; ++i) perseid_flow_out(from + i);
}

static int reap(pid_t child) {
  int status = 0;
  if (child < 0 || waitpid(child, &status, 0) != child) return 90;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 91;
}

static void* be_busy(void* unused) {
  uint64_t i = 0;
  for (; !__atomic_load_n(&g_stop, __ATOMIC_RELAXED) && i < UINT64_C(1) << 30; ++i)
    perseid_flow_out((UINT64_C(2) << 40) + i);
  g_busy_events = i;
  return unused;
}

static void* end_like_a_thread(void* unused) {
  (void)unused;
  perseid_begin("in a thread");
  const pid_t child = (pid_t)syscall(SYS_fork);
  if (child == 0) {
    emit(UINT64_C(1) << 40, 10);
    perseid_end();
    pthread_exit(NULL); /* runs our thread-end handler in a child that is not a session's */
  }
  perseid_end();
  return (void*)(size_t)reap(child);
}

static int run_child(const char* how, uint64_t events) {
  emit(UINT64_C(1) << 40, events);
  if (strcmp(how, "twice") == 0) {
    const pid_t grandchild = fork();
    if (grandchild == 0) {
      emit(UINT64_C(3) << 40, events);
      return 0;
    }
    return reap(grandchild);
  }
  if (strcmp(how, "_exit") == 0) _exit(0);
  if (strcmp(how, "raw") == 0) exit(0);
  if (strcmp(how, "exec") == 0) {
    execl(g_self, g_self, "fork", "0", "5", (char*)NULL);
    _exit(92);
  }
  return 0;
}

int main(int argc, char** argv) {
  if (argc < 4) return 2;
  g_self = argv[0];
  const char* how = argv[1];
  const uint64_t child_events = strtoull(argv[2], NULL, 10);
  const uint64_t parent_events = strtoull(argv[3], NULL, 10);
  emit(0, parent_events / 2);

  int result = 0;
  pthread_t busy;
  if (strcmp(how, "busy") == 0) pthread_create(&busy, NULL, be_busy, NULL);
  if (strcmp(how, "vfork") == 0) {
    const pid_t child = vfork();
    if (child == 0) {
      execl("/bin/true", "true", (char*)NULL);
      _exit(93);
    }
    result = reap(child);
  } else if (strcmp(how, "spawn") == 0) {
    pid_t child = -1;
    char* const arguments[] = {"true", NULL};
    if (posix_spawn(&child, "/bin/true", NULL, NULL, arguments, environ) != 0) return 94;
    result = reap(child);
  } else if (strcmp(how, "system") == 0) {
    result = system("exit 0");
  } else if (strcmp(how, "raw_thread") == 0) {
    pthread_t thread;
    void* code = NULL;
    pthread_create(&thread, NULL, end_like_a_thread, NULL);
    pthread_join(thread, &code);
    result = (int)(size_t)code;
  } else {
    const pid_t child = strcmp(how, "raw") == 0 ? (pid_t)syscall(SYS_fork) : fork();
    if (child == 0) return run_child(how, child_events);
    emit(parent_events / 2, parent_events - parent_events / 2);
    result = reap(child);
    if (strcmp(how, "busy") == 0) {
      g_stop = 1;
      pthread_join(busy, NULL);
      printf("busy %llu\n", (unsigned long long)g_busy_events);
    }
    return result;
  }
  emit(parent_events / 2, parent_events - parent_events / 2);
  return result;
}
