// mpi/record/mpi_api.h: the functions of whatever MPI is loaded, found at run time.
//
// No MPI header and no undefined MPI symbol: Open MPI's handles are pointers, those of MPICH and
// its derivatives are ints. Both travel as machine words, as the calling convention passes them.
#pragma once

#include <atomic>
#include <cstdint>

#include "mpi/events.h"

namespace perseid::mpi {

using Word = uint64_t;

// Functions that we interpose and that are not operations of events.h.
#define PERSEID_MPI_OTHERS(X) \
  X(MPI_Init)                 \
  X(MPI_Init_thread)          \
  X(MPI_Finalize)             \
  X(MPI_Abort)                \
  X(MPI_Comm_dup)             \
  X(MPI_Comm_dup_with_info)   \
  X(MPI_Comm_split)           \
  X(MPI_Comm_split_type)      \
  X(MPI_Comm_create)          \
  X(MPI_Comm_idup)            \
  X(MPI_Comm_create_group)    \
  X(MPI_Cart_create)          \
  X(MPI_Cart_sub)             \
  X(MPI_Comm_free)            \
  X(MPI_Request_free)         \
  X(MPI_Improbe)

// Functions that we only call, always by their PMPI names.
#define PERSEID_MPI_CALLED(X)   \
  X(PMPI_Comm_rank)             \
  X(PMPI_Comm_size)             \
  X(PMPI_Comm_group)            \
  X(PMPI_Comm_test_inter)       \
  X(PMPI_Comm_dup)              \
  X(PMPI_Comm_create_group)     \
  X(PMPI_Comm_free)             \
  X(PMPI_Group_incl)            \
  X(PMPI_Group_free)            \
  X(PMPI_Group_translate_ranks) \
  X(PMPI_Type_size)             \
  X(PMPI_Get_library_version)   \
  X(PMPI_Send)                  \
  X(PMPI_Recv)                  \
  X(PMPI_Bcast)                 \
  X(PMPI_Gather)

/// A function of MPI's. Every argument is an integer or a pointer and so a machine word; every
/// result an int.
class Function {
 public:
  constexpr Function() noexcept = default;
  explicit Function(void* address) noexcept : address_(address) {}
  explicit operator bool() const noexcept { return address_ != nullptr; }

  template <class... Arguments>
  int operator()(Arguments... arguments) const {
    constexpr int kNotThere = 16;  // MPI_ERR_OTHER or its neighbour: no success
    if (!address_) [[unlikely]]
      return kNotThere;
    return reinterpret_cast<int (*)(WordFor<Arguments>...)>(address_)(word(arguments)...);
  }

 private:
  template <class>
  using WordFor = Word;
  template <class T>
  static Word word(T* pointer) noexcept {
    return reinterpret_cast<Word>(pointer);
  }
  static Word word(Word value) noexcept { return value; }
  static Word word(int value) noexcept { return static_cast<Word>(int64_t{value}); }

  void* address_ = nullptr;
};

enum class Family : uint8_t { kUnknown, kOpenMpi, kMpich };

struct MpiApi {
  Family family = Family::kUnknown;
  Word comm_world = 0;
  Word comm_null = 0;
  Word request_null = 0;
  Word byte_type = 0;
#define PERSEID_MEMBER(name) Function name;
#define PERSEID_OPERATION_MEMBER(name, call_kind) Function name;
  PERSEID_MPI_OPERATIONS(PERSEID_OPERATION_MEMBER)
  PERSEID_MPI_OTHERS(PERSEID_MEMBER)
  PERSEID_MPI_CALLED(PERSEID_MEMBER)
#undef PERSEID_OPERATION_MEMBER
#undef PERSEID_MEMBER

  /// Handles as they are kept in memory: 8 bytes, or 4.
  Word handle_at(Word address, uint64_t index = 0) const noexcept {
    if (family == Family::kOpenMpi) return reinterpret_cast<const Word*>(address)[index];
    return reinterpret_cast<const uint32_t*>(address)[index];
  }
  /// A handle passed in a register: the upper half of an int's is anything.
  Word handle(Word passed) const noexcept {
    return family == Family::kOpenMpi ? passed : passed & 0xffffffff;
  }
};

inline constinit std::atomic<const MpiApi*> g_api{nullptr};

/// Looks for MPI among the loaded files; the same table on every later call. An empty one if
/// there is none.
const MpiApi& find_api() noexcept;

inline const MpiApi& api() noexcept {
  const MpiApi* found = g_api.load(std::memory_order_acquire);
  return found ? *found : find_api();
}

/// True for calls from inside StarPU-MPI, which has records of its own for its messages.
bool is_starpu_mpi(const void* caller) noexcept;

}  // namespace perseid::mpi
