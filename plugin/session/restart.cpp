// plugin/session/restart.cpp: execve of the program file with the command line from /proc.
#include "plugin/session/restart.h"

#include <fcntl.h>
#include <limits.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstring>

namespace perseid {

namespace {

constexpr char kOwnFile[] = "/proc/self/exe";

const char* started_file() noexcept {
  const auto* file = reinterpret_cast<const char*>(getauxval(AT_EXECFN));
  return file ? file : "";
}

bool is_own_file(const char* path) noexcept {
  struct stat own, other;
  return stat(kOwnFile, &own) == 0 && stat(path, &other) == 0 && own.st_dev == other.st_dev &&
         own.st_ino == other.st_ino;
}

/// The kernel names the process after the file, so the name it was started by comes first. A script
/// is not the file that runs, and a file may have been removed or replaced meanwhile.
const char* file_to_start(char (&memory)[PATH_MAX]) noexcept {
  if (is_own_file(started_file())) return started_file();
  const ssize_t length = readlink(kOwnFile, memory, sizeof memory - 1);
  memory[length > 0 ? length : 0] = '\0';
  return is_own_file(memory) ? memory : kOwnFile;
}

void* map(size_t bytes) noexcept {
  void* at = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return at == MAP_FAILED ? nullptr : at;
}

/// The words as the kernel has them: a program that was given to the loader by hand
/// (ld.so ./program) finds less in its argv. Null if they cannot be read.
char** read_command() noexcept {
  const int file = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
  if (file < 0) return nullptr;
  size_t room = 64 * 1024;
  size_t bytes = 0;
  auto* text = static_cast<char*>(map(room));
  while (text) {
    const ssize_t got = read(file, text + bytes, room - 1 - bytes);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    bytes += static_cast<size_t>(got);
    if (bytes < room - 1) continue;
    void* const moved = mremap(text, room, 2 * room, MREMAP_MAYMOVE);
    text = moved == MAP_FAILED ? nullptr : static_cast<char*>(moved);
    room *= 2;
  }
  close(file);
  if (!text) return nullptr;
  size_t count = 0;
  for (size_t at = 0; at < bytes; at += std::strlen(text + at) + 1) ++count;
  auto** const words = static_cast<char**>(map((count + 1) * sizeof(char*)));
  if (!words) return nullptr;
  count = 0;
  for (size_t at = 0; at < bytes; at += std::strlen(text + at) + 1) words[count++] = text + at;
  return words;
}

}  // namespace

int start_program_again() noexcept {
  char** const words = read_command();
  if (!words) return errno ? errno : ENOMEM;
  char memory[PATH_MAX];
  execve(file_to_start(memory), words, environ);
  return errno;
}

const char* program_name() noexcept {
  const char* const slash = std::strrchr(started_file(), '/');
  return slash ? slash + 1 : started_file();
}

}  // namespace perseid
