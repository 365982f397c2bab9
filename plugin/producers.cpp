// plugin/producers.cpp: the one table of producers. A new runtime is one line here.
#include "plugin/producers.h"

namespace perseid {

namespace starpu {
void start() noexcept;
void stop() noexcept;
}  // namespace starpu

namespace mpi {
void start() noexcept;
void stop() noexcept;
}  // namespace mpi

namespace {

constexpr Producer kProducers[] = {
    {"starpu", starpu::start, starpu::stop},
    {"mpi", mpi::start, mpi::stop},
};

}  // namespace

std::span<const Producer> producers() noexcept { return kProducers; }

}  // namespace perseid
