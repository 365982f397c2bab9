// starpu_hooks/record/dependencies.cpp: dependencies that the program states itself.
#include <algorithm>
#include <cstdarg>

#include "starpu_hooks/record/hook.h"

namespace perseid::starpu {

namespace {

uint64_t as_word(const Task* task) noexcept { return word(task); }
uint64_t as_word(Tag tag) noexcept { return tag; }

/// One record for as many predecessors as fit.
template <class T>
void record_predecessors(Event event, uint32_t arg, uint64_t successor, const T* predecessors,
                         size_t count) noexcept {
  constexpr size_t kMaxCount = kMaxRecordWords - 1;
  while (count > 0) {
    uint64_t words[kMaxRecordWords];
    const size_t now = std::min(count, kMaxCount);
    words[0] = successor;
    for (size_t i = 0; i < now; ++i) words[1 + i] = as_word(predecessors[i]);
    emit_words(kind(event), arg, words, 1 + now);
    predecessors += now;
    count -= now;
  }
}

void record_tag_change(TagChange change, Tag tag) noexcept {
  emit(kind(kTagChange), static_cast<uint32_t>(change), tag);
}

void declare_tag_deps(Tag tag, unsigned count, Tag* tags) {
  if (is_recording()) record_predecessors(kTagDeps, 0, tag, tags, count);
  api().starpu_tag_declare_deps_array(tag, count, tags);
}

}  // namespace
}  // namespace perseid::starpu

using namespace perseid;
using namespace perseid::starpu;

PERSEID_HOOK void starpu_task_declare_deps_array(Task* task, unsigned count, Task** tasks) {
  if (is_recording()) record_predecessors(kTaskDeps, 0, word(task), tasks, count);
  api().starpu_task_declare_deps_array(task, count, tasks);
}

PERSEID_HOOK void starpu_task_declare_end_deps_array(Task* task, unsigned count, Task** tasks) {
  if (is_recording()) record_predecessors(kTaskDeps, 1, word(task), tasks, count);
  api().starpu_task_declare_end_deps_array(task, count, tasks);
}

PERSEID_HOOK void starpu_task_end_dep_add(Task* task, int count) {
  emit(kind(kEndDependency), bits(count), word(task));
  api().starpu_task_end_dep_add(task, count);
}

PERSEID_HOOK void starpu_task_end_dep_release(Task* task) {
  emit(kind(kEndDependency), 0, word(task));
  api().starpu_task_end_dep_release(task);
}

PERSEID_HOOK void starpu_tag_declare_deps_array(Tag tag, unsigned count, Tag* tags) {
  declare_tag_deps(tag, count, tags);
}

/// Variable arguments cannot be passed on as they are; an array has the same effect.
PERSEID_HOOK void starpu_tag_declare_deps(Tag tag, unsigned count, ...) {
  // The tags were on the caller's stack, so there is room for them on this one.
  auto* tags = static_cast<Tag*>(__builtin_alloca(count * sizeof(Tag)));
  std::va_list list;
  va_start(list, count);
  for (unsigned i = 0; i < count; ++i) tags[i] = va_arg(list, Tag);
  va_end(list);
  declare_tag_deps(tag, count, tags);
}

PERSEID_HOOK void starpu_tag_notify_from_apps(Tag tag) {
  record_tag_change(TagChange::kNotified, tag);
  api().starpu_tag_notify_from_apps(tag);
}

PERSEID_HOOK void starpu_tag_notify_restart_from_apps(Tag tag) {
  record_tag_change(TagChange::kNotified, tag);
  record_tag_change(TagChange::kRestarted, tag);
  api().starpu_tag_notify_restart_from_apps(tag);
}

PERSEID_HOOK void starpu_tag_restart(Tag tag) {
  record_tag_change(TagChange::kRestarted, tag);
  api().starpu_tag_restart(tag);
}

PERSEID_HOOK void starpu_tag_remove(Tag tag) {
  record_tag_change(TagChange::kRemoved, tag);
  api().starpu_tag_remove(tag);
}
