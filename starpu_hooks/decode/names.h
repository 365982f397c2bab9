// starpu_hooks/decode/names.h: what codelets, functions, contexts and memory nodes are called.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "starpu_hooks/decode/payload.h"
#include "timeline/drawing/model.h"

namespace perseid::starpu::decoding {

struct CodeletFacts {
  uint32_t name = 0;       // string id; 0: it has none
  uint32_t model = 0;      // string id of its performance model
  uint32_t where = 0;      // bits of Where; 0: it has functions, and StarPU looks at these
  uint32_t functions = 0;  // bits of Where: what it has functions for
  bool is_nowhere = false;
  uint64_t function = 0;  // the first one it has
};

/// Texts it returns stay valid as long as it lives.
class Names {
 public:
  explicit Names(Model& model) : model_(&model) {}

  /// What follows was recorded at that time: libraries come and go, and addresses with them.
  void move_to(uint64_t ticks) noexcept { ticks_ = ticks; }

  void set_codelet(uint32_t name, const Payload& words);
  void set_codelet_function(uint32_t architecture, const Payload& words);
  void set_function(uint32_t symbol, const Payload& words);
  void set_context(uint32_t context, const Payload& words);
  void set_memory_node(uint32_t node, const Payload& words);

  const CodeletFacts* codelet(uint64_t address) const;
  /// "cholesky_cpu (kernels.c:42)", "cholesky_cpu", "libapp.so+0x1234" or "0x55d0c0ffee".
  std::string_view function(uint64_t address);
  /// The policy's name; "" if it has none or is unknown.
  std::string_view policy(uint32_t context) const;
  /// "NUMA 0", or "node 3" for one nobody named.
  std::string_view memory_node(uint32_t node);

  /// What a task is called where neither it nor its codelet has a name.
  std::string_view task(uint32_t task_name, uint64_t codelet_address, bool is_codelet_known);
  /// "submit " and the name.
  std::string_view submission(std::string_view task_name);

 private:
  /// Slices that are still open show old texts: none is ever changed.
  std::string_view keep(std::string text) { return *texts_.insert(std::move(text)).first; }

  Model* model_;
  uint64_t ticks_ = 0;
  std::unordered_set<std::string> texts_;
  std::unordered_map<uint64_t, CodeletFacts> codelets_;
  std::unordered_map<uint64_t, std::string_view> functions_;
  std::unordered_map<uint32_t, std::string_view> policies_;
  std::unordered_map<uint32_t, std::string_view> nodes_;
  std::unordered_map<std::string_view, std::string_view> submissions_;
};

/// Queues of its own for each worker, from which others take: who pushed had the task first.
bool is_stealing(std::string_view policy) noexcept;

}  // namespace perseid::starpu::decoding
