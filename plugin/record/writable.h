// plugin/record/writable.h: may a word of the program's memory be written? Asked before every store
// into an object that the program may have declared const or protected.
#pragma once

namespace perseid {

enum class Writability { kYes, kNo, kUnknown };

/// Of the 4 bytes at `word`, aligned to 4. One system call, which changes nothing; errno is kept.
Writability writability_of(void* word) noexcept;

/// True if a store there is known not to end the process.
inline bool is_writable(void* word) noexcept { return writability_of(word) == Writability::kYes; }

}  // namespace perseid
