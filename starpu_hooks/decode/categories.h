// starpu_hooks/decode/categories.h: what a query selects the slices of a StarPU program by.
#pragma once

#include <string_view>

namespace perseid::starpu::decoding {

inline constexpr std::string_view kExecutionCategory = "task";  // one per execution
inline constexpr std::string_view kSubmissionCategory = "submission";
inline constexpr std::string_view kWaitCategory = "wait";
inline constexpr std::string_view kPhaseCategory = "phase";  // around an execution
inline constexpr std::string_view kTransferCategory = "transfer";
inline constexpr std::string_view kStarpuCategory = "starpu";
inline constexpr std::string_view kIdleCategory = "idle";  // a worker that got no task

}  // namespace perseid::starpu::decoding
