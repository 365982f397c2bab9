// starpu_hooks/decode/waits.h: threads that wait in a call of StarPU.
#pragma once

#include <cstdint>

#include "starpu_hooks/decode/acquisitions.h"
#include "starpu_hooks/decode/context.h"
#include "starpu_hooks/decode/payload.h"

namespace perseid::starpu::decoding {

class Waits {
 public:
  Waits(Parts& parts, Acquisitions& acquisitions) : parts_(&parts), acquisitions_(&acquisitions) {}

  void begin(Thread& thread, int64_t at_ns, uint32_t kind, const Payload& words);
  void end(Thread& thread, int64_t at_ns, uint32_t kind, const Payload& words);

 private:
  void describe(ArgumentList& arguments, uint32_t kind, const Payload& words);
  void add_row(const Thread& thread, const Call& call, const OpenSlice& slice, int64_t at_ns);

  Parts* parts_;
  Acquisitions* acquisitions_;
};

}  // namespace perseid::starpu::decoding
