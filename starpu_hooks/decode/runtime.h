// starpu_hooks/decode/runtime.h: StarPU itself: its start and end, and what programs mark.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "starpu_hooks/decode/acquisitions.h"
#include "starpu_hooks/decode/context.h"
#include "starpu_hooks/decode/payload.h"

namespace perseid::starpu::decoding {

class Runtime {
 public:
  Runtime(Parts& parts, Acquisitions& acquisitions)
      : parts_(&parts), acquisitions_(&acquisitions) {}

  void set_library(uint32_t file, const Payload& words);
  void begin_call(Thread& thread, int64_t at_ns, CallKind kind);
  void end_init(Thread& thread, int64_t at_ns, uint32_t result, const Payload& words);
  void end_shutdown(Thread& thread, int64_t at_ns);
  void pause(int64_t at_ns);
  void resume(int64_t at_ns);

  void add_instant(Thread& thread, int64_t at_ns, std::string_view name);
  void add_data_instant(Thread& thread, int64_t at_ns, std::string_view name, uint64_t handle,
                        uint32_t node, std::span<const FlowEnd> flows = {});
  void release_data(Thread& thread, int64_t at_ns, uint64_t handle, uint32_t node);
  void show_request(Thread& thread, int64_t at_ns, uint32_t request, const Payload& words);
  /// A transaction orders its tasks by a hidden handle; without it they are counted as not known.
  void note_transaction(uint64_t hidden_handle);
  void show_end_dependency(Thread& thread, int64_t at_ns, uint32_t added, uint64_t task);
  void show_user_event(Thread& thread, int64_t at_ns, uint64_t code);
  void show_user_text(Thread& thread, int64_t at_ns, uint32_t text);

  /// Closes StarPU's row and adds the facts of the run.
  void finish(int64_t end_ns);

 private:
  Lane& row();
  void close_run(int64_t at_ns);

  Parts* parts_;
  Acquisitions* acquisitions_;
  std::optional<Lane> row_;
  std::optional<Lane::Handle> run_;
  std::optional<Lane::Handle> pause_;
  std::string version_;
  std::string_view file_;
  std::string not_seen_;  // of what there could be
};

}  // namespace perseid::starpu::decoding
