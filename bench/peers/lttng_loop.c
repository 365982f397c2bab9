// bench/peers/lttng_loop.c: a burst of LTTng-UST events with three integers each.
#define LTTNG_UST_TRACEPOINT_CREATE_PROBES
#define LTTNG_UST_TRACEPOINT_DEFINE
#include "bench/peers/lttng_events.h"
#include "bench/peers/tracer_loops.h"

void record_with_lttng(size_t events) {
  for (size_t i = 0; i < events; ++i) lttng_ust_tracepoint(perseid_bench, event, i, i, i);
}
