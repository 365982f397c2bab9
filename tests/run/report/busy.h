/* tests/run/report/busy.h: work of a known time, however busy the machine is. */
#pragma once

#include <time.h>

static inline double now_ms(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

static inline void busy(double milliseconds) {
  const double begin = now_ms();
  while (now_ms() - begin < milliseconds) continue;
}
