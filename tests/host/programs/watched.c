/* watched.c: built with ThreadSanitizer, records from threads that come and go. With the argument
 * "race" it also has a race of its own. */
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "include/perseid.h"

enum { kRounds = 5, kThreads = 4, kRanges = 500 };

static int raced;
static int has_race;

static void* work(void* round) {
  for (int i = 0; i < kRanges; ++i) {
    char name[32];
    snprintf(name, sizeof name, "range %d %d", *(const int*)round, i % 50);
    const struct perseid_arg text =
        perseid_arg_text("text", "copied by a function of the C library");
    perseid_begin_with(name, &text, 1);
    perseid_counter("done", i);
    perseid_end();
  }
  if (has_race) ++raced;
  return NULL;
}

int main(int count, char** words) {
  has_race = count > 1 && strcmp(words[1], "race") == 0;
  pthread_t threads[kThreads];
  for (int round = 0; round < kRounds; ++round) {
    for (int i = 0; i < kThreads; ++i) pthread_create(&threads[i], NULL, work, &round);
    for (int i = 0; i < kThreads; ++i) pthread_join(threads[i], NULL);
  }
  puts("done");
  return 0;
}
