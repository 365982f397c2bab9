// starpu_hooks/decode/iterations.h: iterations that the program marks, on a row per context.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <unordered_map>

#include "starpu_hooks/decode/context.h"

namespace perseid::starpu::decoding {

class Iterations {
 public:
  explicit Iterations(Parts& parts) : parts_(&parts) {}

  void push(int64_t at_ns, uint32_t context, uint64_t iteration);
  void pop(int64_t at_ns, uint32_t context);
  /// The open ones of the task's context, the outermost first.
  void note_in(TaskLife& life) const;
  void finish(int64_t end_ns);

 private:
  struct Open {
    uint64_t number;
    int64_t begin_ns;
    std::string name;
    Lane::Handle slice = 0;
  };
  struct Row {
    Lane lane;
    std::deque<Open> open{};  // the innermost last
  };

  void add_row(const Open& open, int64_t end_ns);

  Parts* parts_;
  std::unordered_map<uint32_t, Row> rows_;  // by context
};

}  // namespace perseid::starpu::decoding
