// starpu_hooks/record/transactions.h: transactions (StarPU 1.4) order their tasks by hidden data.
#pragma once

#include <atomic>

#include "starpu_hooks/record/starpu/starpu_api.h"

namespace perseid::starpu {

/// Transactions that are open now, and threads that are opening one.
inline constinit std::atomic<int> g_open_transactions{0};
inline constinit std::atomic<int> g_opening_transactions{0};

/// What a transaction hides, for a task of one.
struct HiddenAccess {
  bool is_in_transaction = false;
  Data* data = nullptr;  // null: not known
};

HiddenAccess find_hidden_access(const Task* task) noexcept;
void note_opening_registration(Data** place) noexcept;

/// The access that StarPU will add to this task when it is submitted.
inline HiddenAccess hidden_access(const Task* task) noexcept {
  if (g_open_transactions.load(std::memory_order_relaxed) == 0) return {};
  return find_hidden_access(task);
}

/// StarPU is about to put a new handle at `place`.
inline void note_registration(Data** place) noexcept {
  if (g_opening_transactions.load(std::memory_order_relaxed) != 0) [[unlikely]]
    note_opening_registration(place);
}

}  // namespace perseid::starpu
