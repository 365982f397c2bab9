// plugin/message.cpp: see message.h.
#include "plugin/message.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstring>

#include "plugin/descriptor.h"
#include "plugin/fixed_text.h"
#include "plugin/host_guard.h"
#include "plugin/own_descriptors.h"

namespace perseid {

namespace {

char g_log_path[PATH_MAX] = "";
bool g_is_quiet = false;

void write_line(const char* sentence) noexcept {
  const int kept = errno;
  const WriteGuard guard;
  FixedText<PATH_MAX + 1024> line;
  line << "perseid: " << sentence;
  line.cut_to(PATH_MAX + 1022);
  line << '\n';
  // Opened for each line: the host may close any descriptor it does not know.
  const int log = g_log_path[0] ? open_quietly(g_log_path, O_WRONLY | O_APPEND | O_CREAT) : -1;
  const HostStderr host_stderr;
  (void)write_fully(log >= 0 ? log : host_stderr.descriptor(), line.c_str(), line.size());
  if (log >= 0) close(log);
  errno = kept;
}

}  // namespace

void direct_messages(const char* log_path, bool is_quiet) noexcept {
  g_is_quiet = is_quiet;
  const size_t length = std::strlen(log_path);
  if (length < sizeof g_log_path) std::memcpy(g_log_path, log_path, length + 1);
}

void say(const char* sentence) noexcept {
  if (!g_is_quiet) write_line(sentence);
}

void warn(const char* sentence) noexcept { write_line(sentence); }

}  // namespace perseid
