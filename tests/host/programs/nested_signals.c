/* A timer interrupts a thread that records all the time; the handler records, too. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

#include "include/perseid.h"

static volatile sig_atomic_t g_fired;

static void on_timer(int signal) {
  (void)signal;
  perseid_begin("in the handler");
  perseid_instant("in the handler, too");
  perseid_end();
  g_fired = g_fired + 1;
}

int main(int argc, char** argv) {
  const int wanted = argc > 1 ? atoi(argv[1]) : 1000;
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_handler = on_timer;
  action.sa_flags = SA_RESTART;
  sigaction(SIGALRM, &action, NULL);
  perseid_instant("start");
  struct itimerval interval = {{0, 100}, {0, 100}};
  setitimer(ITIMER_REAL, &interval, NULL);
  uint64_t i = 0;
  for (; g_fired < wanted && i < UINT64_C(400000000); ++i) {
    perseid_begin("around");
    perseid_flow_out(i);
    perseid_end();
  }
  memset(&interval, 0, sizeof interval);
  setitimer(ITIMER_REAL, &interval, NULL);
  printf("numbers %llu handlers %d\n", (unsigned long long)i, (int)g_fired);
  return 0;
}
