// starpu_hooks/record/data_facts.cpp: bytes and addresses of handles with StarPU's own interfaces.
#include "starpu_hooks/record/data_facts.h"

#include "starpu_hooks/record/hook.h"
#include "starpu_hooks/record/runtime.h"

namespace perseid::starpu {

uint64_t bytes_of(Data* data) noexcept {
  const auto interface = static_cast<unsigned>(api().starpu_data_get_interface_id(data));
  return interface < g_runtime.known_interfaces ? api().starpu_data_get_size(data) : 0;
}

uint64_t main_memory_address(Data* data) noexcept {
  constexpr unsigned kMainMemory = 0;
  const auto interface = static_cast<unsigned>(api().starpu_data_get_interface_id(data));
  if (interface >= g_runtime.known_interfaces) return 0;
  return word(api().starpu_data_handle_to_pointer(data, kMainMemory));
}

}  // namespace perseid::starpu
