// bench/peers/tracer_loops.h: bursts of events in C, where the tracers' macros are at home.
#pragma once

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

void record_with_fxt(size_t events);
void record_with_lttng(size_t events);

#ifdef __cplusplus
}
#endif
