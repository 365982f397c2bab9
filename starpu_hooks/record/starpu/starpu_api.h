// starpu_hooks/record/starpu/starpu_api.h: StarPU's functions, found at run time in whatever StarPU
// is loaded.
//
// No StarPU header and no undefined starpu_* symbol: the same library serves StarPU 1.3, 1.4 and
// later, and processes without StarPU. The prototypes below are the same in all of them.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace perseid::starpu {

// StarPU's objects. What is inside is known to layout.h alone.
struct Task;
struct Codelet;
struct Data;  // what a starpu_data_handle_t points to
struct Policy;
struct PerformanceModel;
struct Filter;
struct Transaction;

using Tag = uint64_t;
using KernelFunction = void (*)(void** buffers, void* argument);
using CallbackFunction = void (*)(void* argument);

// X(return type, name, parameters): the functions that our hooks stand in for. The
// parameters of starpu_data_acquire_on_node_cb_..._jobids change: see waits.cpp.
#define PERSEID_STARPU_HOOKED(X)                                                               \
  X(int, starpu_init, (void*))                                                                 \
  X(int, starpu_initialize, (void*, int*, char***))                                            \
  X(void, starpu_shutdown, ())                                                                 \
  X(void, starpu_pause, ())                                                                    \
  X(void, starpu_resume, ())                                                                   \
  X(int, starpu_task_submit, (Task*))                                                          \
  X(int, starpu_task_submit_nodeps, (Task*))                                                   \
  X(void, starpu_task_clean, (Task*))                                                          \
  X(int, starpu_task_wait, (Task*))                                                            \
  X(int, starpu_task_wait_array, (Task**, unsigned))                                           \
  X(int, starpu_task_wait_for_all, ())                                                         \
  X(int, starpu_task_wait_for_all_in_ctx, (unsigned))                                          \
  X(int, starpu_task_wait_for_n_submitted, (unsigned))                                         \
  X(int, starpu_task_wait_for_n_submitted_in_ctx, (unsigned, unsigned))                        \
  X(int, starpu_task_wait_for_no_ready, ())                                                    \
  X(int, starpu_tag_wait_array, (unsigned, Tag*))                                              \
  X(void, starpu_execute_on_each_worker_ex, (void (*)(void*), void*, uint32_t, const char*))   \
  X(void, starpu_execute_on_specific_workers,                                                  \
    (void (*)(void*), void*, unsigned, unsigned*, const char*))                                \
  X(int, starpu_data_acquire_on_node, (Data*, int, int))                                       \
  X(int, starpu_data_acquire_on_node_try, (Data*, int, int))                                   \
  X(int, starpu_data_acquire_on_node_cb_sequential_consistency_sync_jobids,                    \
    (uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, \
     uint64_t, uint64_t, uint64_t, uint64_t, uint64_t))                                        \
  X(void, starpu_data_release_on_node, (Data*, int))                                           \
  X(void, starpu_data_release_to_on_node, (Data*, int, int))                                   \
  X(int, starpu_data_fetch_on_node, (Data*, unsigned, unsigned))                               \
  X(void, starpu_data_unregister, (Data*))                                                     \
  X(void, starpu_data_unregister_no_coherency, (Data*))                                        \
  X(void, starpu_data_unregister_submit, (Data*))                                              \
  X(void, starpu_data_register, (Data**, int, void*, void*))                                   \
  X(void, starpu_data_set_name, (Data*, const char*))                                          \
  X(void, starpu_data_set_coordinates_array, (Data*, unsigned, int*))                          \
  X(void, starpu_data_partition, (Data*, Filter*))                                             \
  X(void, starpu_data_unpartition, (Data*, unsigned))                                          \
  X(void, starpu_data_partition_plan, (Data*, Filter*, Data**))                                \
  X(void, starpu_data_partition_clean, (Data*, unsigned, Data**))                              \
  X(void, starpu_data_partition_clean_node, (Data*, unsigned, Data**, int))                    \
  X(int, starpu_data_prefetch_on_node_prio, (Data*, unsigned, unsigned, int))                  \
  X(int, starpu_data_idle_prefetch_on_node_prio, (Data*, unsigned, unsigned, int))             \
  X(void, starpu_data_wont_use, (Data*))                                                       \
  X(void, starpu_data_invalidate, (Data*))                                                     \
  X(void, starpu_data_invalidate_submit, (Data*))                                              \
  X(void, starpu_task_declare_deps_array, (Task*, unsigned, Task**))                           \
  X(void, starpu_task_declare_end_deps_array, (Task*, unsigned, Task**))                       \
  X(void, starpu_task_end_dep_add, (Task*, int))                                               \
  X(void, starpu_task_end_dep_release, (Task*))                                                \
  X(void, starpu_tag_declare_deps_array, (Tag, unsigned, Tag*))                                \
  X(void, starpu_tag_notify_from_apps, (Tag))                                                  \
  X(void, starpu_tag_notify_restart_from_apps, (Tag))                                          \
  X(void, starpu_tag_restart, (Tag))                                                           \
  X(void, starpu_tag_remove, (Tag))                                                            \
  X(Transaction*, starpu_transaction_open, (int (*)(void*, void*), void*))                     \
  X(void, starpu_transaction_next_epoch, (Transaction*, void*))                                \
  X(void, starpu_transaction_close, (Transaction*))                                            \
  X(int, starpu_push_task_end, (Task*))                                                        \
  X(int, starpu_interface_copy,                                                                \
    (uintptr_t, size_t, unsigned, uintptr_t, size_t, unsigned, size_t, void*))                 \
  X(int, starpu_interface_copy2d,                                                              \
    (uintptr_t, size_t, unsigned, uintptr_t, size_t, unsigned, size_t, size_t, size_t, size_t, \
     void*))                                                                                   \
  X(int, starpu_interface_copy3d,                                                              \
    (uintptr_t, size_t, unsigned, uintptr_t, size_t, unsigned, size_t, size_t, size_t, size_t, \
     size_t, size_t, size_t, void*))                                                           \
  X(int, starpu_interface_copy4d,                                                              \
    (uintptr_t, size_t, unsigned, uintptr_t, size_t, unsigned, size_t, size_t, size_t, size_t, \
     size_t, size_t, size_t, size_t, size_t, size_t, void*))                                   \
  X(int, starpu_opencl_copy_ram_to_opencl,                                                     \
    (void*, unsigned, void*, unsigned, size_t, size_t, void**, int*))                          \
  X(int, starpu_opencl_copy_opencl_to_ram,                                                     \
    (void*, unsigned, void*, unsigned, size_t, size_t, void**, int*))                          \
  X(int, starpu_opencl_copy_opencl_to_opencl,                                                  \
    (void*, unsigned, size_t, void*, unsigned, size_t, size_t, void**, int*))                  \
  X(uintptr_t, starpu_malloc_on_node_flags, (unsigned, size_t, int))                           \
  X(void, starpu_free_on_node_flags, (unsigned, uintptr_t, size_t, int))                       \
  X(void, starpu_fxt_trace_user_event, (unsigned long))                                        \
  X(void, starpu_fxt_trace_user_event_string, (const char*))                                   \
  X(void, starpu_fxt_start_profiling, ())                                                      \
  X(void, starpu_fxt_stop_profiling, ())                                                       \
  X(void, starpu_iteration_push, (unsigned long))                                              \
  X(void, starpu_iteration_pop, ())

// Functions that we only call.
#define PERSEID_STARPU_CALLED(X)                                                  \
  X(void, starpu_get_version, (int*, int*, int*))                                 \
  X(int, starpu_is_initialized, ())                                               \
  X(Task*, starpu_task_get_current, ())                                           \
  X(const char*, starpu_task_get_name, (Task*))                                   \
  X(const char*, starpu_task_get_model_name, (Task*))                             \
  X(unsigned, starpu_task_get_implementation, (Task*))                            \
  X(uint32_t, starpu_task_footprint, (PerformanceModel*, Task*, void*, unsigned)) \
  X(void*, starpu_worker_get_perf_archtype, (int, unsigned))                      \
  X(int, starpu_worker_get_id, ())                                                \
  X(unsigned, starpu_worker_get_count, ())                                        \
  X(void, starpu_worker_get_name, (int, char*, size_t))                           \
  X(int, starpu_worker_get_type, (int))                                           \
  X(int, starpu_worker_get_devid, (int))                                          \
  X(int, starpu_worker_get_bindid, (int))                                         \
  X(unsigned, starpu_worker_get_memory_node, (unsigned))                          \
  X(unsigned, starpu_combined_worker_get_count, ())                               \
  X(int, starpu_combined_worker_get_description, (int, int*, int**))              \
  X(int, starpu_combined_worker_get_id, ())                                       \
  X(int, starpu_combined_worker_get_size, ())                                     \
  X(unsigned, starpu_memory_nodes_get_count, ())                                  \
  X(int, starpu_memory_node_get_name, (unsigned, char*, size_t))                  \
  X(int, starpu_memory_node_get_devid, (unsigned))                                \
  X(ssize_t, starpu_memory_get_total, (unsigned))                                 \
  X(unsigned, starpu_sched_ctx_get_context, ())                                   \
  X(unsigned, starpu_sched_ctx_get_workers_list_raw, (unsigned, int**))           \
  X(Policy*, starpu_sched_ctx_get_sched_policy, (unsigned))                       \
  X(Policy**, starpu_sched_get_predefined_policies, ())                           \
  X(size_t, starpu_data_get_size, (Data*))                                        \
  X(int, starpu_data_get_interface_id, (Data*))                                   \
  X(int, starpu_data_get_nb_children, (Data*))                                    \
  X(Data*, starpu_data_get_child, (Data*, unsigned))                              \
  X(void*, starpu_data_handle_to_pointer, (Data*, unsigned))                      \
  X(unsigned, starpu_data_get_sequential_consistency_flag, (Data*))               \
  X(void, starpu_task_init, (Task*))                                              \
  X(Task*, starpu_task_create, ())                                                \
  X(Task*, starpu_task_build, (Codelet*, ...))                                    \
  X(void, starpu_codelet_init, (Codelet*))                                        \
  X(intptr_t, fstarpu_get_constant, (const char*))                                \
  X(void, fstarpu_codelet_set_name, (Codelet*, const char*))                      \
  X(void, fstarpu_codelet_set_model, (Codelet*, PerformanceModel*))               \
  X(void, fstarpu_codelet_set_where, (Codelet*, intptr_t))                        \
  X(void, fstarpu_codelet_set_variable_nbuffers, (Codelet*))                      \
  X(void, fstarpu_codelet_add_buffer, (Codelet*, intptr_t))                       \
  X(void, fstarpu_codelet_add_cpu_func, (Codelet*, void*))                        \
  X(void, fstarpu_codelet_add_cuda_func, (Codelet*, void*))                       \
  X(void, fstarpu_codelet_add_opencl_func, (Codelet*, void*))                     \
  X(void, fstarpu_codelet_add_cuda_flags, (Codelet*, intptr_t))                   \
  X(void, fstarpu_codelet_add_opencl_flags, (Codelet*, intptr_t))                 \
  X(Filter*, fstarpu_data_filter_allocate, ())                                    \
  X(void, fstarpu_data_filter_free, (Filter*))                                    \
  X(void, fstarpu_data_filter_set_nchildren, (Filter*, int))                      \
  X(void, fstarpu_data_filter_set_get_nchildren_func, (Filter*, void*))

/// Members are named as the functions. Null: this StarPU does not have it.
struct StarpuApi {
#define PERSEID_MEMBER(result, name, parameters) result(*name) parameters = nullptr;
  PERSEID_STARPU_HOOKED(PERSEID_MEMBER)
  PERSEID_STARPU_CALLED(PERSEID_MEMBER)
#undef PERSEID_MEMBER
};

inline constinit std::atomic<const StarpuApi*> g_api{nullptr};

/// Looks for StarPU among the loaded files. The same table on every later call.
const StarpuApi& find_api() noexcept;

/// StarPU's own functions, without our hooks. Safe from any thread.
inline const StarpuApi& api() noexcept {
  const StarpuApi* found = g_api.load(std::memory_order_acquire);
  return found ? *found : find_api();
}

/// True if all functions that the layout probe and the records need are there.
bool is_complete(const StarpuApi& api) noexcept;

}  // namespace perseid::starpu
