// starpu_hooks/decode/submissions.h: tasks on their way in.
#pragma once

#include <cstdint>
#include <span>

#include "starpu_hooks/decode/context.h"
#include "starpu_hooks/decode/iterations.h"
#include "starpu_hooks/decode/lives.h"
#include "starpu_hooks/decode/payload.h"

namespace perseid::starpu::decoding {

class Submissions {
 public:
  Submissions(Parts& parts, Lives& lives, const Iterations& iterations)
      : parts_(&parts), lives_(&lives), iterations_(&iterations) {}

  void begin(Thread& thread, int64_t at_ns, uint32_t name, const Payload& words);
  void add_accesses(const Payload& words);
  void end(Thread& thread, int64_t at_ns, uint32_t result, const Payload& words);

 private:
  void read(TaskLife& life, uint32_t name, const Payload& words);
  void read_accesses(TaskLife& life, std::span<const uint64_t> words);

  Parts* parts_;
  Lives* lives_;
  const Iterations* iterations_;
};

}  // namespace perseid::starpu::decoding
