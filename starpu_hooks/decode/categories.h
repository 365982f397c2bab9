// starpu_hooks/decode/categories.h: what a query selects the slices of a StarPU program by.
#pragma once

#include "timeline/drawing/category.h"

namespace perseid::starpu::decoding {

inline constexpr Category kExecutionCategory{"task", SliceRole::kWork};  // one per execution
inline constexpr Category kSubmissionCategory{"submission", SliceRole::kSubmission};
inline constexpr Category kWaitCategory{"wait", SliceRole::kWait};
inline constexpr Category kPhaseCategory{"phase", SliceRole::kPhase};  // around an execution
inline constexpr Category kTransferCategory{"transfer", SliceRole::kTransfer};
inline constexpr Category kStarpuCategory{"starpu"};
inline constexpr Category kIdleCategory{"idle", SliceRole::kIdle};  // a worker that got no task

}  // namespace perseid::starpu::decoding
