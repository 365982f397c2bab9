// plugin/session/descriptor.h: files in somebody else's process: out of the way, closed on exec,
// whole writes.
#pragma once

#include <sys/uio.h>

#include <cstddef>
#include <cstdint>

namespace perseid {

/// open(2) with O_CLOEXEC and mode 0600. The descriptor is moved above 100 where the limit
/// allows, because programs close or count on low numbers. -1 and errno on failure.
int open_quietly(const char* path, int flags) noexcept;
/// open_quietly() relative to a directory.
int open_quietly_at(int directory, const char* name, int flags) noexcept;

/// False and errno if not everything could be written.
bool write_fully(int fd, const void* data, size_t bytes) noexcept;

/// mkdir -p with mode 0700 for what is missing.
bool make_directories(const char* path) noexcept;

/// Reads at most `room - 1` bytes of a small file and terminates them. The length, or -1.
long read_small_file(const char* path, char* buffer, size_t room) noexcept;

}  // namespace perseid
