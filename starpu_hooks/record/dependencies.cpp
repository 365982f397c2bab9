// starpu_hooks/record/dependencies.cpp: dependencies that the program states itself, by tasks, tags
// and transactions.
#include <algorithm>
#include <cstdarg>

#include "starpu_hooks/record/hook.h"
#include "starpu_hooks/record/runtime.h"
#include "starpu_hooks/record/transactions.h"

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

constexpr size_t kMaxTransactions = 256;
constinit std::atomic<Transaction*> g_transactions[kMaxTransactions]{};
constinit std::atomic<Data**> g_latest_place{nullptr};
constinit std::atomic<uint16_t> g_handle_offset{kNotFound};  // in a transaction

/// A transaction holds its handle: the place where StarPU put it while it was opened.
void find_handle_offset(const Transaction* opened) noexcept {
  if (g_handle_offset.load(std::memory_order_relaxed) != kNotFound) return;
  constexpr uint64_t kMaxBytes = 512;
  const uint64_t offset = word(g_latest_place.load()) - word(opened);
  if (offset < kMaxBytes) g_handle_offset.store(static_cast<uint16_t>(offset));
}

Data* handle_of(const Transaction* transaction) noexcept {
  const uint16_t offset = g_handle_offset.load(std::memory_order_relaxed);
  return offset == kNotFound ? nullptr : field<Data*>(transaction, offset);
}

void record_transaction(TransactionStep step, const Transaction* transaction) noexcept {
  emit(kind(kTransaction), static_cast<uint32_t>(step), word(transaction),
       word(handle_of(transaction)));
}

void remember(Transaction* opened) noexcept {
  for (auto& slot : g_transactions) {
    Transaction* expected = nullptr;
    if (!slot.compare_exchange_strong(expected, opened)) continue;
    g_open_transactions.fetch_add(1);
    return;
  }
}

void forget(Transaction* closed) noexcept {
  for (auto& slot : g_transactions) {
    Transaction* expected = closed;
    if (!slot.compare_exchange_strong(expected, nullptr)) continue;
    g_open_transactions.fetch_sub(1);
    return;
  }
}

}  // namespace

HiddenAccess find_hidden_access(const Task* task) noexcept {
  const uint16_t at = layout().task.transaction;
  if (at == kNotFound) return {};
  auto* transaction = field<Transaction*>(task, at);
  if (!transaction) return {};
  // Only one that was opened before our eyes is known to be one.
  const bool is_known = std::ranges::any_of(g_transactions, [&](const auto& slot) {
    return slot.load(std::memory_order_relaxed) == transaction;
  });
  if (!is_known) return {};
  return {true, handle_of(transaction)};
}

void note_opening_registration(Data** place) noexcept { g_latest_place.store(place); }

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

PERSEID_HOOK Transaction* starpu_transaction_open(int (*function)(void*, void*), void* argument) {
  const StarpuApi& starpu = api();
  g_opening_transactions.fetch_add(1);
  Transaction* opened = starpu.starpu_transaction_open(function, argument);
  g_opening_transactions.fetch_sub(1);
  if (!opened) return opened;
  find_handle_offset(opened);
  remember(opened);
  record_transaction(TransactionStep::kOpened, opened);
  return opened;
}

PERSEID_HOOK void starpu_transaction_next_epoch(Transaction* transaction, void* argument) {
  record_transaction(TransactionStep::kNextEpoch, transaction);
  api().starpu_transaction_next_epoch(transaction, argument);
}

PERSEID_HOOK void starpu_transaction_close(Transaction* transaction) {
  record_transaction(TransactionStep::kClosed, transaction);
  forget(transaction);
  api().starpu_transaction_close(transaction);
}
