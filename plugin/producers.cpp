// plugin/producers.cpp: the one table of producers. A new runtime is one line here.
#include "plugin/producers.h"

namespace perseid {

namespace starpu {
void start() noexcept;
void stop() noexcept;
}  // namespace starpu

namespace opencl {
void start() noexcept;
void stop() noexcept;
}  // namespace opencl

namespace {

constexpr Producer kProducers[] = {
    {"starpu", starpu::start, starpu::stop},
    {"opencl", opencl::start, opencl::stop},
};

}  // namespace

std::span<const Producer> producers() noexcept { return kProducers; }

}  // namespace perseid
