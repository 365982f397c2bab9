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
  /// A push ends on the thread. If it is that of the task in submission, the submission proper is
  /// over: the submitter of a synchronous task now waits for its end.
  void pushed(Thread& thread, int64_t at_ns, uint64_t task);
  void end(Thread& thread, int64_t at_ns, uint32_t result, const Payload& words);

 private:
  void add_wait(const Thread& thread, TaskId task, int64_t begin_ns, int64_t end_ns);
  void end_wait(const Thread& thread, const Call& call, OpenSlice& slice, int64_t at_ns);
  void read(TaskLife& life, uint32_t name, const Payload& words);
  void read_accesses(TaskLife& life, std::span<const uint64_t> words);

  Parts* parts_;
  Lives* lives_;
  const Iterations* iterations_;
};

}  // namespace perseid::starpu::decoding
