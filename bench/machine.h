// bench/machine.h: on what a figure was measured; without that it means nothing.
#pragma once

namespace perseid::bench {

/// Processor, number of CPUs, kernel, clock source, compiler and load, one line each.
void print_machine();

}  // namespace perseid::bench
