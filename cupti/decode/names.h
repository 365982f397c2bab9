// cupti/decode/names.h: CUDA's numbers and mangled names in words.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>

#include "timeline/drawing/model.h"

namespace perseid::cupti {

std::string_view copy_name(uint8_t copy_kind);
std::string_view memory_name(uint8_t memory_kind);
std::string_view sync_name(uint32_t sync_type);
std::string_view overhead_name(uint32_t overhead_kind);

/// "64 x 4 x 1".
std::string dimensions(uint32_t x, uint32_t y, uint32_t z);

/// Names of kernels as the program's author wrote them. Each is demangled once.
class KernelNames {
 public:
  struct Name {
    std::string shown;  // without its parameters
    std::string whole;
  };

  explicit KernelNames(Model& model) : model_(&model) {}
  const Name& of(uint32_t mangled);

 private:
  Model* model_;
  std::unordered_map<uint32_t, Name> names_;
};

/// The name of a function's call without the version that CUPTI adds, as "_v7000" or "_ptsz".
std::string_view without_version(std::string_view function);

}  // namespace perseid::cupti
