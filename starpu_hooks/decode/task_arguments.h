// starpu_hooks/decode/task_arguments.h: everything a click on an execution shows.
#pragma once

#include <cstdint>
#include <string>

#include "starpu_hooks/decode/context.h"

namespace perseid::starpu::decoding {

class TaskArguments {
 public:
  explicit TaskArguments(Parts& parts) : parts_(&parts) {}

  void add(ArgumentList& arguments, const Worker& worker, const Execution& execution,
           int64_t end_ns);

 private:
  void add_identity(ArgumentList& arguments, const Execution& execution);
  void add_data(ArgumentList& arguments, const TaskLife& life);
  void add_prediction(ArgumentList& arguments, const Execution& execution, int64_t duration_ns);
  void add_waits(ArgumentList& arguments, const Execution& execution);

  Parts* parts_;
  std::string text_;  // used again and again
};

}  // namespace perseid::starpu::decoding
