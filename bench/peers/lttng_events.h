// bench/peers/lttng_events.h: the tracepoint provider of the LTTng-UST peer.
//
// LTTng includes this file several times and makes something else of the macros each time: the
// guard below is its own, and there is no #pragma once.
#undef LTTNG_UST_TRACEPOINT_PROVIDER
#define LTTNG_UST_TRACEPOINT_PROVIDER perseid_bench

#undef LTTNG_UST_TRACEPOINT_INCLUDE
#define LTTNG_UST_TRACEPOINT_INCLUDE "bench/peers/lttng_events.h"

#if !defined(PERSEID_BENCH_LTTNG_EVENTS_H) || defined(LTTNG_UST_TRACEPOINT_HEADER_MULTI_READ)
#define PERSEID_BENCH_LTTNG_EVENTS_H

#include <lttng/tracepoint.h>
#include <stdint.h>

// clang-format off
LTTNG_UST_TRACEPOINT_EVENT(
  perseid_bench, event,
  LTTNG_UST_TP_ARGS(uint64_t, first, uint64_t, second, uint64_t, third),
  LTTNG_UST_TP_FIELDS(
    lttng_ust_field_integer(uint64_t, first, first)
    lttng_ust_field_integer(uint64_t, second, second)
    lttng_ust_field_integer(uint64_t, third, third)))
// clang-format on

#endif

#include <lttng/tracepoint-event.h>
