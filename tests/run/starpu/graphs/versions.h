// tests/run/starpu/graphs/versions.h: what StarPU 1.3 lacks of what the programs use.
#pragma once

#include <starpu.h>
#include <stdlib.h>

#if STARPU_MAJOR_VERSION == 1 && STARPU_MINOR_VERSION < 4
// 1.3.10 refuses commuting tasks that join a reduction.
#define GRAPHS_JOIN_MODE STARPU_RW
#define STARPU_EPILOGUE_CALLBACK STARPU_PROLOGUE_CALLBACK
#define starpu_data_dup_ro(copy, data, asynchronous) abort()
#else
#define GRAPHS_JOIN_MODE (STARPU_RW | STARPU_COMMUTE)
#endif
