// ompt/decode/work_decoder.h: work sharing, masked regions, cancellation, target regions.
#pragma once

#include <cstdint>
#include <span>

#include "ompt/decode/context.h"

namespace perseid::ompt {

class WorkDecoder {
 public:
  explicit WorkDecoder(Context& context) : context_(&context) {}

  void work_begin(ThreadStack& stack, Moment now, uint32_t kind, std::span<const uint64_t> words);
  void work_end(ThreadStack& stack, Moment now, uint32_t kind);
  void dispatch(ThreadStack& stack, Moment now, uint32_t kind, std::span<const uint64_t> words);
  void masked_begin(ThreadStack& stack, Moment now, std::span<const uint64_t> words);
  void masked_end(ThreadStack& stack, Moment now);
  void cancel(ThreadStack& stack, Moment now, uint32_t flags, std::span<const uint64_t> words);
  void error(ThreadStack& stack, Moment now, uint32_t message);

  void target_begin(ThreadStack& stack, Moment now, uint32_t kind, std::span<const uint64_t> words);
  void data_begin(ThreadStack& stack, Moment now, uint32_t operation,
                  std::span<const uint64_t> words);
  void submit_begin(ThreadStack& stack, Moment now, uint32_t teams);
  void target_end(ThreadStack& stack, Moment now);
  /// Of a data movement or a kernel.
  void target_part_end(ThreadStack& stack, Moment now);

 private:
  void end_innermost(ThreadStack& stack, Moment now, uint32_t part);

  Context* context_;
};

}  // namespace perseid::ompt
