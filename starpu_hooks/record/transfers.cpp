// starpu_hooks/record/transfers.cpp: copies between memory nodes, and the memory on them.
#include "starpu_hooks/record/copy_span.h"

using namespace perseid;
using namespace perseid::starpu;

PERSEID_HOOK int starpu_interface_copy(uintptr_t source, size_t source_offset, unsigned source_node,
                                       uintptr_t target, size_t target_offset, unsigned target_node,
                                       size_t size, void* channel) {
  return copy({source_node, target_node, source + source_offset, target + target_offset}, size,
              [&] {
                return api().starpu_interface_copy(source, source_offset, source_node, target,
                                                   target_offset, target_node, size, channel);
              });
}

PERSEID_HOOK int starpu_interface_copy2d(uintptr_t source, size_t source_offset,
                                         unsigned source_node, uintptr_t target,
                                         size_t target_offset, unsigned target_node, size_t block,
                                         size_t blocks, size_t source_step, size_t target_step,
                                         void* channel) {
  return copy({source_node, target_node, source + source_offset, target + target_offset},
              block * blocks, [&] {
                return api().starpu_interface_copy2d(source, source_offset, source_node, target,
                                                     target_offset, target_node, block, blocks,
                                                     source_step, target_step, channel);
              });
}

PERSEID_HOOK int starpu_interface_copy3d(uintptr_t source, size_t source_offset,
                                         unsigned source_node, uintptr_t target,
                                         size_t target_offset, unsigned target_node, size_t block,
                                         size_t blocks1, size_t source_step1, size_t target_step1,
                                         size_t blocks2, size_t source_step2, size_t target_step2,
                                         void* channel) {
  return copy({source_node, target_node, source + source_offset, target + target_offset},
              block * blocks1 * blocks2, [&] {
                return api().starpu_interface_copy3d(source, source_offset, source_node, target,
                                                     target_offset, target_node, block, blocks1,
                                                     source_step1, target_step1, blocks2,
                                                     source_step2, target_step2, channel);
              });
}

PERSEID_HOOK int starpu_interface_copy4d(uintptr_t source, size_t source_offset,
                                         unsigned source_node, uintptr_t target,
                                         size_t target_offset, unsigned target_node, size_t block,
                                         size_t blocks1, size_t source_step1, size_t target_step1,
                                         size_t blocks2, size_t source_step2, size_t target_step2,
                                         size_t blocks3, size_t source_step3, size_t target_step3,
                                         void* channel) {
  return copy({source_node, target_node, source + source_offset, target + target_offset},
              block * blocks1 * blocks2 * blocks3, [&] {
                return api().starpu_interface_copy4d(
                    source, source_offset, source_node, target, target_offset, target_node, block,
                    blocks1, source_step1, target_step1, blocks2, source_step2, target_step2,
                    blocks3, source_step3, target_step3, channel);
              });
}

PERSEID_HOOK uintptr_t starpu_malloc_on_node_flags(unsigned node, size_t size, int flags) {
  const uintptr_t address = api().starpu_malloc_on_node_flags(node, size, flags);
  if (address && records_everything()) emit(kind(kAllocate), node, address, uint64_t{size});
  return address;
}

PERSEID_HOOK void starpu_free_on_node_flags(unsigned node, uintptr_t address, size_t size,
                                            int flags) {
  if (address && records_everything()) emit(kind(kFree), node, address, uint64_t{size});
  api().starpu_free_on_node_flags(node, address, size, flags);
}
