// tools/perseid/live_process.cpp: a recording process has the capture's state file mapped.
#include "tools/perseid/live_process.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>
#include <sstream>

#include "capture/file.h"
#include "capture/format.h"
#include "capture/session_state.h"

namespace perseid {
namespace {

/// True also if /proc hides the process from us: then it lives.
bool maps_inode(uint32_t pid, ino_t inode) {
  const std::string proc = "/proc/" + std::to_string(pid);
  std::ifstream maps(proc + "/maps");
  if (!maps) return errno != ENOENT && kill(static_cast<pid_t>(pid), 0) == 0;
  std::string line;
  while (std::getline(maps, line)) {
    std::istringstream fields(line);
    std::string range, access, offset, device;
    ino_t found = 0;
    if (fields >> range >> access >> offset >> device >> found && found == inode) return true;
  }
  return false;
}

}  // namespace

bool is_being_recorded(const std::string& capture) {
  const std::string path = capture + "/" + kStateFile;
  struct stat found;
  if (stat(path.c_str(), &found) != 0) return false;
  const RecordedState state = read_state(File(path));
  if (state.end != SessionEnd::kRunning || state.pid == 0) return false;
  return maps_inode(state.pid, found.st_ino);
}

}  // namespace perseid
