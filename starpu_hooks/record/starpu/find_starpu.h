// starpu_hooks/record/starpu/find_starpu.h: where StarPU is in this process, and whether our hooks
// reach it.
#pragma once

namespace perseid::starpu {

/// The handle of the loaded StarPU library and its file's name, however it was loaded. Null if
/// none is. Keeps the library from being unloaded: codelets and policies point into it and us.
void* find_library(const char*& file) noexcept;

/// True if `address` is in this library.
bool is_ours(const void* address) noexcept;

enum class Reach {
  kFull,         // StarPU and the program call us
  kApplication,  // StarPU calls its own functions directly (-Bsymbolic): only the program calls us
};
Reach reach_of(void* library) noexcept;

/// The main program has StarPU's functions inside: they can neither be replaced nor be called.
bool is_linked_into_program() noexcept;

}  // namespace perseid::starpu
