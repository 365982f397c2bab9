/* Everything a call could leave changed in its caller, compared before and after. */
#define _GNU_SOURCE
#include <errno.h>
#include <fenv.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "include/perseid.h"

struct state {
  int error;
  int rounding;
  int exceptions;
  int cancel_state;
  int cancel_type;
  mode_t mask;
  sigset_t signals;
  char directory[4096];
};

static struct state look(void) {
  struct state s;
  memset(&s, 0, sizeof s);
  s.error = errno;
  s.rounding = fegetround();
  s.exceptions = fetestexcept(FE_ALL_EXCEPT);
  pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, &s.cancel_state);
  pthread_setcancelstate(s.cancel_state, NULL);
  pthread_setcanceltype(PTHREAD_CANCEL_DEFERRED, &s.cancel_type);
  pthread_setcanceltype(s.cancel_type, NULL);
  s.mask = umask(0);
  umask(s.mask);
  pthread_sigmask(SIG_SETMASK, NULL, &s.signals);
  if (!getcwd(s.directory, sizeof s.directory)) exit(3);
  errno = s.error;
  return s;
}

static void compare(const char* when, const struct state* a, const struct state* b) {
  if (a->error != b->error) printf("%s: errno %d became %d\n", when, a->error, b->error);
  if (a->rounding != b->rounding) printf("%s: rounding changed\n", when);
  if (a->exceptions != b->exceptions) printf("%s: floating-point flags changed\n", when);
  if (a->cancel_state != b->cancel_state) printf("%s: cancel state changed\n", when);
  if (a->cancel_type != b->cancel_type) printf("%s: cancel type changed\n", when);
  if (a->mask != b->mask) printf("%s: umask changed\n", when);
  if (memcmp(&a->signals, &b->signals, sizeof a->signals) != 0) printf("%s: mask changed\n", when);
  if (strcmp(a->directory, b->directory) != 0) printf("%s: directory changed\n", when);
}

static void emit_a_lot(void) {
  for (uint64_t i = 0; i < 20000; ++i) perseid_flow_out(i);
  perseid_counter("not finite", 1.0 / 3.0);
  perseid_name_thread("somebody");
  for (uint64_t i = 0; i < 20000; ++i) {
    char name[32];
    const int kept = errno;
    snprintf(name, sizeof name, "name %d", (int)i);
    errno = kept;
    perseid_instant(name);
  }
}

static void check_calls(const char* who) {
  char when[64];
  errno = 4711;
  const struct state start = look();
  perseid_begin("first");
  const struct state joined = look();
  emit_a_lot(); /* a small ring is flushed many times, and the names' file grows */
  const struct state flushed = look();
  perseid_pause();
  perseid_resume();
  perseid_end();
  const struct state end = look();
  snprintf(when, sizeof when, "%s, first event", who);
  compare(when, &start, &joined);
  snprintf(when, sizeof when, "%s, many events", who);
  compare(when, &joined, &flushed);
  snprintf(when, sizeof when, "%s, pause", who);
  compare(when, &flushed, &end);
}

static void* in_thread(void* unused) {
  sigset_t some;
  sigemptyset(&some);
  sigaddset(&some, SIGUSR2);
  pthread_sigmask(SIG_BLOCK, &some, NULL);
  pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL);
  fesetround(FE_DOWNWARD);
  feraiseexcept(FE_INEXACT);
  check_calls("thread");
  return unused;
}

int main(void) {
  umask(027);
  fesetround(FE_UPWARD);
  feraiseexcept(FE_DIVBYZERO);
  check_calls("main");
  pthread_t thread;
  pthread_create(&thread, NULL, in_thread, NULL);
  pthread_join(thread, NULL);
  puts("compared");
  return 0;
}
