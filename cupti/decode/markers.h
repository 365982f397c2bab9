// cupti/decode/markers.h: the program's NVTX ranges and marks, on a row of their own.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <unordered_map>

#include "timeline/drawing/model.h"

namespace perseid::cupti {

struct Marker {
  std::string_view name;  // outlives the model, as does the domain; "" at an end
  std::string_view domain;
  int64_t at_ns = 0;
  uint32_t thread = 0;  // 0: unknown
};

class Markers {
 public:
  explicit Markers(Model& model) : model_(&model) {}

  /// `flags` are of MarkerFlag; begin and end of a range have the same `id`.
  void add(uint32_t flags, uint32_t id, const Marker& marker);
  /// Shows the ranges that never ended.
  void finish(int64_t end_ns);

 private:
  static constexpr size_t kMaxOpen = 65536;

  void show_range(const Marker& begin, int64_t end_ns, bool is_unfinished);
  Lane& lane();

  Model* model_;
  std::unordered_map<uint32_t, Marker> open_;
  std::optional<Lane> lane_;
};

}  // namespace perseid::cupti
