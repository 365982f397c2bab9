// plugin/session/producers.cpp: the one table of producers. A new runtime is one line here.
#include "plugin/session/producers.h"

namespace perseid {

namespace starpu {
void start() noexcept;
void stop() noexcept;
void explain(bool has_recorded) noexcept;
}  // namespace starpu

namespace ompt {
void explain(bool has_recorded) noexcept;
}  // namespace ompt

namespace cupti {
void start() noexcept;
void stop() noexcept;
void on_device_found() noexcept;
void explain(bool has_recorded) noexcept;
}  // namespace cupti

namespace opencl {
void start() noexcept;
void stop() noexcept;
void explain(bool has_recorded) noexcept;
}  // namespace opencl

namespace mpi {
void start() noexcept;
void stop() noexcept;
void explain(bool has_recorded) noexcept;
}  // namespace mpi

namespace annotations {
void explain(bool has_recorded) noexcept;
}  // namespace annotations

namespace {

constexpr Producer kProducers[] = {
    {"starpu", starpu::start, starpu::stop, nullptr, starpu::explain},
    {"openmp", nullptr, nullptr, nullptr, ompt::explain},
    {"cupti", cupti::start, cupti::stop, cupti::on_device_found, cupti::explain},
    {"opencl", opencl::start, opencl::stop, nullptr, opencl::explain},
    {"mpi", mpi::start, mpi::stop, nullptr, mpi::explain},
    {"annotations", nullptr, nullptr, nullptr, annotations::explain},
};

}  // namespace

std::span<const Producer> producers() noexcept { return kProducers; }

void announce_device() noexcept {
  for (const Producer& producer : producers()) {
    if (producer.on_device_found) producer.on_device_found();
  }
}

}  // namespace perseid
