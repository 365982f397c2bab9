// bench/peers/fxt_loop.c: a burst of FxT events with three integers each.
#include "bench/peers/tracer_loops.h"
#define CONFIG_FUT 1
#include <fut.h>

void record_with_fxt(size_t events) {
  for (size_t i = 0; i < events; ++i) FUT_DO_PROBE3(0x1234, i, i, i);
}
