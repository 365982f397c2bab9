// starpu_hooks/record/submit.cpp: every way a task enters StarPU ends in one of these functions.
#include <algorithm>

#include "starpu_hooks/record/callback_wrap.h"
#include "starpu_hooks/record/codelet_wrap.h"
#include "starpu_hooks/record/data_address.h"
#include "starpu_hooks/record/data_facts.h"
#include "starpu_hooks/record/hook.h"
#include "starpu_hooks/record/late_attach.h"
#include "starpu_hooks/record/policy_hooks.h"
#include "starpu_hooks/record/runtime.h"
#include "starpu_hooks/record/transactions.h"

namespace perseid::starpu {

namespace {

/// The handles of a task and how it uses them, as StarPU's own macros would read them.
class Accesses {
 public:
  Accesses(const Task* task, const Codelet* codelet) noexcept {
    if (!codelet) return;
    const TaskLayout& in_task = layout().task;
    const CodeletLayout& in_codelet = layout().codelet;
    count_ = field<int>(codelet, in_codelet.nbuffers);
    const bool varies = count_ == layout().constants.variable_buffers;
    if (varies) count_ = field<int>(task, in_task.nbuffers);
    handles_ = field<Data* const*>(task, in_task.dyn_handles);
    if (!handles_) handles_ = array<Data*>(task, in_task.handles);
    modes_ = field<const int*>(task, in_task.dyn_modes);
    if (!modes_ && varies) modes_ = array<int>(task, in_task.modes);
    if (!modes_) modes_ = field<const int*>(codelet, in_codelet.dyn_modes);
    if (!modes_) modes_ = array<int>(codelet, in_codelet.modes);
    is_ordered_ = is_set(task, in_task.sequential_consistency);
    ordered_ = field<const unsigned char*>(task, in_task.handles_sequential_consistency);
  }

  size_t count() const noexcept { return count_ > 0 ? static_cast<size_t>(count_) : 0; }
  Data* handle(size_t i) const noexcept { return handles_[i]; }

  /// The second word of an access.
  uint64_t use(size_t i) const noexcept {
    Data* data = handles_[i];
    const bool is_ordered = is_ordered_ && (!ordered_ || ordered_[i]) &&
                            api().starpu_data_get_sequential_consistency_flag(data) != 0;
    const uint32_t mode = bits(modes_[i]) & 0x7fff;
    return access_word(is_ordered ? mode : mode | kNotOrdered, bytes_of(data));
  }

 private:
  template <class T>
  static const T* array(const void* object, uint16_t offset) noexcept {
    return reinterpret_cast<const T*>(static_cast<const std::byte*>(object) + offset);
  }

  int count_ = 0;
  Data* const* handles_ = nullptr;
  const int* modes_ = nullptr;
  bool is_ordered_ = true;
  const unsigned char* ordered_ = nullptr;
};

unsigned context_of(const Task* task) noexcept {
  const auto context = field<unsigned>(task, layout().task.context);
  return context != layout().constants.no_context ? context : current_context();
}

bool runs_nowhere(const Task* task, const Codelet* codelet) noexcept {
  const uint32_t nowhere = layout().constants.nowhere;
  const uint16_t at = layout().task.where;
  if (nowhere == 0 || !codelet) return false;
  return field<uint32_t>(codelet, layout().codelet.where) == nowhere ||
         (at != kNotFound && field<uint32_t>(task, at) == nowhere);
}

uint32_t flags_of(const Task* task, const Codelet* codelet) noexcept {
  const TaskLayout& at = layout().task;
  uint32_t flags = 0;
  if (runs_nowhere(task, codelet)) flags |= kRunsNowhere;
  if (is_set(task, at.synchronous)) flags |= kSynchronous;
  if (is_set(task, at.use_tag))
    flags |= kHasTag;
  else if (field<Tag>(task, at.tag) != 0)
    flags |= kTagIsLabel;
  if (is_set(task, at.on_specific_worker)) flags |= kOnSpecificWorker;
  if (is_set(task, at.detach)) flags |= kDetached;
  if (is_set(task, at.destroy)) flags |= kDestroyed;
  if (field<void*>(task, at.callback)) flags |= kHasCallback;
  return flags;
}

uint64_t use_of(const HiddenAccess& hidden) noexcept {
  if (!hidden.data) return access_word(kRead | kNotOrdered, 0);
  return access_word(kRead, bytes_of(hidden.data));
}

/// StarPU may free the task before it returns, so everything is copied before it is called.
void record_submission(Task* task, unsigned context, uint32_t extra_flags) noexcept {
  const TaskLayout& at = layout().task;
  const auto* codelet = field<const Codelet*>(task, at.codelet);
  const HiddenAccess hidden = hidden_access(task);
  const uint32_t flags = flags_of(task, codelet) | extra_flags |
                         (hidden.is_in_transaction ? uint32_t{kInTransaction} : 0);
  const Accesses accesses(task, codelet);
  const uint32_t worker = flags & kOnSpecificWorker ? field<uint32_t>(task, at.worker) : UINT32_MAX;
  uint64_t words[kMaxRecordWords];  // not cleared: two kilobytes for each task
  words[0] = word(task);
  words[1] = word(codelet);
  words[2] = halves(field<uint32_t>(task, at.priority), context);
  words[3] = halves(flags, worker);
  words[4] = field<uint64_t>(task, at.tag);
  words[5] = field<uint64_t>(task, at.flops);
  const uint32_t name = intern(api().starpu_task_get_name(task));
  // Most tasks have neither tag nor flops; without accesses after them they need no words.
  const size_t count = accesses.count() + (hidden.is_in_transaction ? 1 : 0);
  size_t used = count > 0 || words[4] != 0 || words[5] != 0 ? 6 : 4;
  uint16_t record = kind(kSubmit);
  for (size_t i = 0; i < count; ++i) {
    if (used + 2 > kMaxRecordWords) {
      emit_words(record, name, words, used);
      record = kind(kMoreAccesses);
      words[0] = word(task);
      used = 1;
    }
    const bool is_hidden = i == accesses.count();
    words[used++] = word(is_hidden ? hidden.data : accesses.handle(i));
    words[used++] = is_hidden ? use_of(hidden) : accesses.use(i);
  }
  emit_words(record, record == kind(kSubmit) ? name : 0, words, used);
  if (records_everything())
    for (size_t i = 0; i < accesses.count(); ++i) note_address(accesses.handle(i));
}

int submit(Task* task, int (*original)(Task*), uint32_t extra_flags) {
  if (!is_recording()) return original(task);
  if (!g_runtime.is_known.load(std::memory_order_acquire)) [[unlikely]]
    attach_to_running_runtime();
  announce_runtime();
  if (!layout().has_tasks) {
    emit(kind(kSubmit), intern(api().starpu_task_get_name(task)), word(task), uint64_t{0},
         uint64_t{0}, halves(extra_flags | kFieldsUnknown, UINT32_MAX), uint64_t{0}, uint64_t{0});
  } else {
    const unsigned context = context_of(task);
    wrap_codelet(task);
    hook_policy(context);  // after it: how much is wanted depends on the codelets there are
    announce_context(context);
    if (records_everything()) wrap_callbacks(task);
    record_submission(task, context, extra_flags);
  }
  set_thread_role(StreamRole::kSubmitter);
  const int result = original(task);
  if (result != 0 && layout().has_tasks) unwrap_callbacks(task);
  emit(kind(kSubmitEnd), bits(result), word(task));
  return result;
}

}  // namespace
}  // namespace perseid::starpu

using namespace perseid;
using namespace perseid::starpu;

PERSEID_HOOK int starpu_task_submit(Task* task) {
  return submit(task, api().starpu_task_submit, 0);
}

PERSEID_HOOK int starpu_task_submit_nodeps(Task* task) {
  return submit(task, api().starpu_task_submit_nodeps, kWithoutDependencies);
}

PERSEID_HOOK void starpu_task_clean(Task* task) {
  if (records_everything()) emit(kind(kTaskClean), 0, word(task));
  api().starpu_task_clean(task);
}
