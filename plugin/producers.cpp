// plugin/producers.cpp: the one table of producers. A new runtime is one line here.
#include "plugin/producers.h"

namespace perseid {

namespace starpu {
void start() noexcept;
void stop() noexcept;
}  // namespace starpu

namespace cupti {
void start() noexcept;
void stop() noexcept;
void meet_device() noexcept;
}  // namespace cupti

namespace opencl {
void start() noexcept;
void stop() noexcept;
}  // namespace opencl
namespace mpi {
void start() noexcept;
void stop() noexcept;
}  // namespace mpi

namespace {

constexpr Producer kProducers[] = {
    {"starpu", starpu::start, starpu::stop},
    {"cupti", cupti::start, cupti::stop, cupti::meet_device},
    {"opencl", opencl::start, opencl::stop},
    {"mpi", mpi::start, mpi::stop},
};

}  // namespace

std::span<const Producer> producers() noexcept { return kProducers; }

void announce_device() noexcept {
  for (const Producer& producer : producers()) {
    if (producer.meet_device) producer.meet_device();
  }
}

}  // namespace perseid
