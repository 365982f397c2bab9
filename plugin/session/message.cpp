// plugin/session/message.cpp: one write per line to the file that was standard error at load.
#include "plugin/session/message.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstring>

#include "plugin/record/host_guard.h"
#include "plugin/session/descriptor.h"
#include "plugin/session/own_descriptors.h"
#include "plugin/settings/fixed_text.h"

namespace perseid {

namespace {

char g_log_path[PATH_MAX] = "";
bool g_is_quiet = false;

struct FileIdentity {
  dev_t device = 0;
  ino_t number = 0;
  bool is_open = false;
  bool operator==(const FileIdentity&) const = default;
};
FileIdentity g_stderr;
bool g_is_stderr_known = false;

FileIdentity identity_of(int descriptor) noexcept {
  struct stat facts;
  if (fstat(descriptor, &facts) != 0) return {};
  return {facts.st_dev, facts.st_ino, true};
}

bool is_still_stderr(int descriptor) noexcept {
  return !g_is_stderr_known || identity_of(descriptor) == g_stderr;
}

void write_text(const char* text, size_t length) noexcept {
  // Opened for each text: the host may close any descriptor it does not know.
  const int log = g_log_path[0] ? open_quietly(g_log_path, O_WRONLY | O_APPEND | O_CREAT) : -1;
  if (log >= 0) {
    (void)write_fully(log, text, length);
    close(log);
  } else {
    const HostStderr host_stderr;
    if (is_still_stderr(host_stderr.descriptor()))
      (void)write_fully(host_stderr.descriptor(), text, length);
  }
}

void write_line(const char* sentence) noexcept {
  const int kept = errno;
  const WriteGuard guard;
  FixedText<PATH_MAX + 1024> line;
  line << "perseid: ";
  // Names of files may hold what a terminal obeys.
  for (const char* at = sentence; *at != '\0'; ++at) {
    const bool is_control = static_cast<unsigned char>(*at) < 0x20 || *at == 0x7f;
    line << (is_control ? '?' : *at);
  }
  line.cut_to(PATH_MAX + 1022);
  line << '\n';
  write_text(line.c_str(), line.size());
  errno = kept;
}

}  // namespace

void remember_stderr() noexcept {
  g_stderr = identity_of(STDERR_FILENO);
  g_is_stderr_known = true;
}

void direct_messages(const char* log_path, bool is_quiet) noexcept {
  g_is_quiet = is_quiet;
  const size_t length = std::strlen(log_path);
  if (length < sizeof g_log_path) std::memcpy(g_log_path, log_path, length + 1);
}

bool is_quiet() noexcept { return g_is_quiet; }

void print_message(const char* sentence) noexcept {
  if (!g_is_quiet) write_line(sentence);
}

void warn(const char* sentence) noexcept { write_line(sentence); }

void print_lines(const char* lines) noexcept {
  if (g_is_quiet || lines[0] == '\0') return;
  const int kept = errno;
  const WriteGuard guard;
  write_text(lines, std::strlen(lines));
  errno = kept;
}

}  // namespace perseid
