// starpu_hooks/record/data.cpp: data comes, gets a name, is cut into parts, and goes.
#include <algorithm>

#include "starpu_hooks/record/data_facts.h"
#include "starpu_hooks/record/hook.h"
#include "starpu_hooks/record/runtime.h"
#include "starpu_hooks/record/transactions.h"

namespace perseid::starpu {

namespace {

enum class Partition : uint32_t { kMade = 0, kPlanned = 1, kTakenBack = 2 };

bool records_data() noexcept {
  return is_recording() && records_everything() && layout().has_tasks;
}

/// `child` gives the i-th part.
/// `describe` writes bytes and address of a part, which are 0 otherwise.
template <class Child, class Describe>
void record_partition(Partition what, Data* whole, size_t count, Child child,
                      Describe describe) noexcept {
  constexpr size_t kWordsPerChild = 3;
  constexpr size_t kMaxCount = (kMaxRecordWords - 1) / kWordsPerChild;
  size_t done = 0;
  do {
    uint64_t words[kMaxRecordWords];
    words[0] = word(whole);
    size_t used = 1;
    for (const size_t end = std::min(count, done + kMaxCount); done < end; ++done) {
      words[used] = word(child(done));
      words[used + 1] = words[used + 2] = 0;
      describe(child(done), words + used + 1);
      used += kWordsPerChild;
    }
    emit_words(kind(kDataPartition), static_cast<uint32_t>(what), words, used);
  } while (done < count);
}

/// After StarPU's call has returned: its parts have no further accesses then. Of the parts only the
/// addresses are left. None named: all of the handle's.
void record_taken_back(Data* whole, size_t count = 0, Data** parts = nullptr) noexcept {
  if (!records_data()) return;
  record_partition(
      Partition::kTakenBack, whole, count, [&](size_t i) { return parts[i]; },
      [](Data*, uint64_t*) {});
}

void describe_part(Data* part, uint64_t* words) noexcept {
  words[0] = bytes_of(part);
  words[1] = main_memory_address(part);
}

/// How many parts a filter makes of `data`, as StarPU asks it.
size_t count_of(Filter* filter, Data* data) noexcept {
  using Count = unsigned (*)(Filter*, Data*);
  const auto ask = field<Count>(filter, layout().filter.get_nchildren);
  return ask ? ask(filter, data) : field<unsigned>(filter, layout().filter.nchildren);
}

void record_request(DataRequest request, const Data* data, uint64_t node) noexcept {
  if (records_everything())
    emit(kind(kDataRequest), static_cast<uint32_t>(request), word(data), node);
}

}  // namespace
}  // namespace perseid::starpu

using namespace perseid;
using namespace perseid::starpu;

PERSEID_HOOK void starpu_data_register(Data** data, int home_node, void* interface, void* ops) {
  note_registration(data);
  api().starpu_data_register(data, home_node, interface, ops);
  if (!records_data()) return;
  const auto id = static_cast<uint32_t>(api().starpu_data_get_interface_id(*data));
  emit(kind(kDataRegister), id, word(*data), bytes_of(*data), main_memory_address(*data),
       static_cast<int64_t>(home_node));
}

PERSEID_HOOK void starpu_data_set_name(Data* data, const char* name) {
  if (is_recording()) emit(kind(kDataName), intern(name), word(data));
  api().starpu_data_set_name(data, name);
}

/// starpu_data_set_coordinates calls it.
PERSEID_HOOK void starpu_data_set_coordinates_array(Data* data, unsigned count, int* coordinates) {
  if (is_recording()) {
    uint64_t words[kMaxRecordWords];
    const size_t kept = std::min<size_t>(count, kMaxRecordWords - 1);
    words[0] = word(data);
    for (size_t i = 0; i < kept; ++i)
      words[1 + i] = static_cast<uint64_t>(static_cast<int64_t>(coordinates[i]));
    emit_words(kind(kDataCoordinates), static_cast<uint32_t>(kept), words, 1 + kept);
  }
  api().starpu_data_set_coordinates_array(data, count, coordinates);
}

PERSEID_HOOK void starpu_data_partition(Data* data, Filter* filter) {
  const StarpuApi& starpu = api();
  starpu.starpu_data_partition(data, filter);
  if (!records_data()) return;
  const int count = starpu.starpu_data_get_nb_children(data);
  record_partition(
      Partition::kMade, data, static_cast<size_t>(std::max(0, count)),
      [&](size_t i) { return starpu.starpu_data_get_child(data, static_cast<unsigned>(i)); },
      describe_part);
}

PERSEID_HOOK void starpu_data_partition_plan(Data* data, Filter* filter, Data** parts) {
  api().starpu_data_partition_plan(data, filter, parts);
  if (!records_data() || !layout().has_filters) return;
  record_partition(
      Partition::kPlanned, data, count_of(filter, data), [&](size_t i) { return parts[i]; },
      describe_part);
}

/// Inside these two StarPU submits its own task that takes the parts back.
PERSEID_HOOK void starpu_data_partition_clean(Data* data, unsigned count, Data** parts) {
  const StarpuApi& starpu = api();
  starpu.starpu_data_partition_clean(data, count, parts);
  // From 1.4 on it calls the other one.
  if (!starpu.starpu_data_partition_clean_node) record_taken_back(data, count, parts);
}

PERSEID_HOOK void starpu_data_partition_clean_node(Data* data, unsigned count, Data** parts,
                                                   int node) {
  api().starpu_data_partition_clean_node(data, count, parts, node);
  record_taken_back(data, count, parts);
}

PERSEID_HOOK void starpu_data_unpartition(Data* data, unsigned node) {
  const StarpuApi& starpu = api();
  if (!is_recording()) return starpu.starpu_data_unpartition(data, node);
  const auto arg = static_cast<uint32_t>(WaitKind::kForUnpartition);
  emit(kind(kWaitBegin), arg, word(data), uint64_t{0});
  starpu.starpu_data_unpartition(data, node);
  emit(kind(kWaitEnd), arg, uint64_t{0});
  record_taken_back(data);
}

PERSEID_HOOK void starpu_data_unregister_submit(Data* data) {
  record_request(DataRequest::kUnregisterSubmit, data, 0);
  api().starpu_data_unregister_submit(data);
}

PERSEID_HOOK int starpu_data_prefetch_on_node_prio(Data* data, unsigned node, unsigned is_async,
                                                   int priority) {
  record_request(DataRequest::kPrefetch, data, node);
  return api().starpu_data_prefetch_on_node_prio(data, node, is_async, priority);
}

PERSEID_HOOK int starpu_data_idle_prefetch_on_node_prio(Data* data, unsigned node,
                                                        unsigned is_async, int priority) {
  record_request(DataRequest::kIdlePrefetch, data, node);
  return api().starpu_data_idle_prefetch_on_node_prio(data, node, is_async, priority);
}

PERSEID_HOOK void starpu_data_wont_use(Data* data) {
  record_request(DataRequest::kWontUse, data, 0);
  api().starpu_data_wont_use(data);
}

PERSEID_HOOK void starpu_data_invalidate(Data* data) {
  record_request(DataRequest::kInvalidate, data, 0);
  api().starpu_data_invalidate(data);
}

PERSEID_HOOK void starpu_data_invalidate_submit(Data* data) {
  record_request(DataRequest::kInvalidateSubmit, data, 0);
  api().starpu_data_invalidate_submit(data);
}
