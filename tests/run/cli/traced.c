/* traced.c: a program that records a little, then does what its arguments say. */
#define _DEFAULT_SOURCE
#include <perseid.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static void record(void) {
  for (int i = 0; i < 100; ++i) {
    perseid_begin("step");
    perseid_end();
  }
}

static volatile sig_atomic_t is_asked_to_end;

static void tell(int signal) {
  const char* line = signal == SIGUSR1 ? "USR1\n" : signal == SIGHUP ? "HUP\n" : "TERM\n";
  if (write(STDOUT_FILENO, line, strlen(line)) < 0) _exit(99);
  if (signal == SIGTERM) is_asked_to_end = 1;
}

/* Says which signals arrive, until SIGTERM. */
static int wait_for_signals(void) {
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_handler = tell;
  sigaction(SIGUSR1, &action, NULL);
  sigaction(SIGHUP, &action, NULL);
  sigaction(SIGTERM, &action, NULL);
  sigset_t term, before;
  sigemptyset(&term);
  sigaddset(&term, SIGTERM);
  sigprocmask(SIG_BLOCK, &term, &before);
  puts("ready");
  fflush(stdout);
  while (!is_asked_to_end) sigsuspend(&before);
  return 3;
}

/* Blocked and ignored signals, as the kernel tells them. */
static int tell_dispositions(void) {
  FILE* status = fopen("/proc/self/status", "r");
  char line[256];
  while (status && fgets(line, sizeof line, status)) {
    if (strncmp(line, "SigBlk", 6) == 0 || strncmp(line, "SigIgn", 6) == 0) fputs(line, stdout);
  }
  return status ? fclose(status) : 1;
}

static int copy_input(void) {
  for (int c; (c = getchar()) != EOF;) putchar(c);
  fputs("to stderr\n", stderr);
  return 0;
}

/* Ends when its input does: a test lets several go at the same moment. */
static int wait_for_input(int hundreds) {
  for (int i = 1; i < hundreds; ++i) record();
  puts("ready");
  fflush(stdout);
  while (getchar() != EOF) {
  }
  return 0;
}

/* Sessions that `perseid run` knows of; they open in the background. */
static int announced_sessions(void) {
  FILE* registry = fopen(getenv("PERSEID_RUN"), "r");
  char line[8192];
  int count = 0;
  while (registry && fgets(line, sizeof line, registry)) count += strncmp(line, "open ", 5) == 0;
  if (registry) fclose(registry);
  return count;
}

/* Leaves a child behind that ends `seconds` later. */
static int leave_child(unsigned seconds) {
  if (fork() == 0) {
    record();
    sleep(seconds);
    exit(0);
  }
  while (announced_sessions() < 2) usleep(1000);
  return 0;
}

/* Children that record so many hundreds and leave by _exit, one after the other. */
static int start_workers(int hundreds) {
  for (int worker = 0; worker < 3; ++worker) {
    const pid_t child = fork();
    if (child == 0) {
      for (int i = 0; i < hundreds; ++i) record();
      _exit(0);
    }
    waitpid(child, NULL, 0);
  }
  return 0;
}

int main(int count, char** words) {
  const char* verb = count > 1 ? words[1] : "exit";
  const int number = count > 2 ? atoi(words[2]) : 0;
  if (strcmp(verb, "idle") == 0) return number;
  if (strcmp(verb, "dispositions") == 0) return tell_dispositions();
  record();
  if (strcmp(verb, "exit") == 0) return number;
  if (strcmp(verb, "kill") == 0) return raise(number);
  if (strcmp(verb, "signals") == 0) return wait_for_signals();
  if (strcmp(verb, "copy") == 0) return copy_input();
  if (strcmp(verb, "input") == 0) return wait_for_input(number);
  if (strcmp(verb, "leave-child") == 0) return leave_child((unsigned)number);
  if (strcmp(verb, "workers") == 0) return start_workers(number);
  return 98;
}
