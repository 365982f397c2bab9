// timeline/report/report_names.h: ids for programs and words for people, as labels have them.
#pragma once

#include <array>
#include <string_view>

#include "timeline/analysis/report_data.h"

namespace perseid {

struct WorkerKindName {
  std::string_view id;       // in JSON
  std::string_view heading;  // of a column
  std::string_view noun;     // "30 CPU", before "workers" or "threads"
};
inline constexpr std::array<WorkerKindName, kWorkerKinds> kWorkerKindNames = {{
    {"cpu", "CPU", "CPU"},
    {"cuda", "CUDA", "CUDA"},
    {"opencl", "OpenCL", "OpenCL"},
    {"other", "other", "other"},
    {"openmp", "OpenMP", "OpenMP"},
}};

struct ChainLabelName {
  std::string_view id;
  std::string_view text;
};
inline constexpr std::array<ChainLabelName, kChainLabels> kChainLabelNames = {{
    {"work", "tasks"},
    {"busy", "all workers busy"},
    {"placement", "tasks placed elsewhere"},
    {"data", "copies"},
    {"scheduler", "scheduler"},
    {"submission", "submission"},
    {"throttled", "throttled submission"},
    {"program_waits", "waits of the program"},
    {"network", "messages"},
    {"barrier", "barriers"},
    {"lock", "locks"},
    {"serial", "serial parts"},
    {"unknown", "unknown"},
}};

}  // namespace perseid
