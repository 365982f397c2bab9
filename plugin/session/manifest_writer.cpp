// plugin/session/manifest_writer.cpp: one line per fact, then a checksum, in one write.
#include "plugin/session/manifest_writer.h"

#include <fcntl.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <cstring>
#include <ctime>

#include "capture/checksum.h"
#include "capture/process_stat.h"
#include "perseid_version.h"
#include "plugin/record/clock.h"
#include "plugin/session/descriptor.h"
#include "plugin/session/session.h"
#include "plugin/settings/environment_facts.h"
#include "plugin/settings/fixed_text.h"
#include "plugin/settings/job_environment.h"

namespace perseid {

namespace {

/// Paths and the command, and 64 variables with their values.
using Manifest = FixedText<64 * 1024>;

void add_text(Manifest& manifest, const char* key, const char* value) noexcept {
  manifest << key << ' ';
  for (; *value; ++value) {
    if (*value == '\\')
      manifest << "\\\\";
    else if (*value == '\n')
      manifest << "\\n";
    else
      manifest << *value;
  }
  manifest << '\n';
}

void add_number(Manifest& manifest, const char* key, uint64_t value) noexcept {
  manifest << key << ' ' << value << '\n';
}

void add_exe(Manifest& manifest) noexcept {
  char path[PATH_MAX];
  const ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
  path[length > 0 ? length : 0] = '\0';
  add_text(manifest, "exe", path);
}

/// "2026-11-17T08:42:33Z": the local zone would cost a file and a lock of the C library.
void add_start_time(Manifest& manifest) noexcept {
  const time_t now = time(nullptr);
  tm parts{};
  gmtime_r(&now, &parts);
  FixedText<32> text;
  const auto two = [&text](int number) {
    text << static_cast<char>('0' + number / 10) << static_cast<char>('0' + number % 10);
  };
  text << (static_cast<uint64_t>(parts.tm_year) + 1900) << '-';
  two(parts.tm_mon + 1);
  text << '-';
  two(parts.tm_mday);
  text << 'T';
  two(parts.tm_hour);
  text << ':';
  two(parts.tm_min);
  text << ':';
  two(parts.tm_sec);
  text << 'Z';
  add_text(manifest, "started", text.c_str());
}

/// By which a reader knows whether this process, and no later one of the same number, lives.
void add_process_identity(Manifest& manifest) noexcept {
  char text[1024];
  if (read_small_file("/proc/sys/kernel/random/boot_id", text, sizeof text) > 0) {
    text[std::strcspn(text, "\n")] = '\0';
    add_text(manifest, "boot_id", text);
  }
  struct stat space;
  if (stat("/proc/self/ns/pid", &space) == 0) add_number(manifest, "pid_namespace", space.st_ino);
  if (read_small_file("/proc/self/stat", text, sizeof text) <= 0) return;
  const ProcessStat found = parse_process_stat(text);
  if (found.state != 0) add_number(manifest, "start_time", found.start_ticks);
}

void add_cpu_model(Manifest& manifest) noexcept {
  char info[4096];
  if (read_small_file("/proc/cpuinfo", info, sizeof info) <= 0) return;
  char* model = std::strstr(info, "model name");
  char* value = model ? std::strchr(model, ':') : nullptr;
  if (!value || value[1] != ' ') return;
  value += 2;
  value[std::strcspn(value, "\n")] = '\0';
  add_text(manifest, "cpu", value);
}

void add_settings(Manifest& manifest, const Settings& settings) noexcept {
  constexpr const char* kOnFull[] = {"flush", "drop", "overwrite"};
  FixedText<256> text;
  text << "ring=" << settings.ring_bytes / 1024 << "K,memory=" << settings.memory_bytes / 1024
       << "K,on_full=" << kOnFull[static_cast<uint32_t>(settings.on_full)]
       << ",keep=" << uint64_t{settings.keep} << ",follow_fork=" << uint64_t{settings.follow_fork};
  add_text(manifest, "settings", text.c_str());
}

void add_job(Manifest& manifest) noexcept {
  const JobEnvironment environment = read_job_environment();
  const auto add = [&manifest](const char* key, const char* value) {
    if (*value) add_text(manifest, key, value);
  };
  add("rank", environment.rank);
  add("size", environment.size);
  add("local_rank", environment.local_rank);
  add("job", environment.job);
  add("step", environment.step);
  add("array_index", environment.array_index);
  add("restart", environment.restart);
  add("time_limit", environment.time_limit);
  add("world", environment.world);
  FixedText<32> machine;
  machine.append_hex(machine_id(), 16);
  add("machine", machine.c_str());
}

void add_environment(Manifest& manifest) noexcept {
  add_number(manifest, "processors", static_cast<uint64_t>(CPU_COUNT(&g_origin.cpus)));
  if (getauxval(AT_SECURE) != 0) return;
  for_each_environment_fact(environ, [&manifest](std::string_view name, std::string_view value) {
    FixedText<kMaxFactNameBytes + 8> key;
    key << "env_";
    key.add(name);
    FixedText<kMaxFactBytes + 1> text;
    add_fact_value(text, value);
    add_text(manifest, key.c_str(), text.c_str());
  });
}

}  // namespace

bool write_manifest(Session& session) noexcept {
  Manifest manifest;
  manifest << "perseid-capture " << uint64_t{kFormatVersion} << "\nsession ";
  manifest.append_hex(session.id, 16) << '\n';
  add_text(manifest, "version", PERSEID_VERSION);
  add_number(manifest, "pid", session.pid);
  add_number(manifest, "ppid", static_cast<uint64_t>(getppid()));
  add_number(manifest, "uid", getuid());
  add_process_identity(manifest);
  add_exe(manifest);
  if (g_origin.command[0]) add_text(manifest, "command", g_origin.command);
  utsname machine;
  if (uname(&machine) == 0) {
    add_text(manifest, "host", machine.nodename);
    FixedText<256> kernel;
    kernel << machine.sysname << ' ' << machine.release << ' ' << machine.machine;
    add_text(manifest, "kernel", kernel.c_str());
  }
  add_cpu_model(manifest);
  add_text(manifest, "cwd", g_origin.directory);
  add_start_time(manifest);
  add_text(manifest, "clock", g_ticks_are_tsc ? "tsc" : "monotonic");
  add_settings(manifest, g_origin.settings);
  if (g_origin.settings.deps == UINT64_MAX) {
    add_text(manifest, "deps", "all");
  } else {
    add_number(manifest, "deps", g_origin.settings.deps);
  }
  constexpr const char* kReport[] = {"off", "short", "full"};
  add_text(manifest, "report", kReport[static_cast<uint32_t>(g_origin.settings.report)]);
  if (g_origin.settings.format[0]) add_text(manifest, "format", g_origin.settings.format);
  const auto add_limit = [&manifest](const char* key, uint64_t value) noexcept {
    if (value != UINT64_MAX) add_number(manifest, key, value);
  };
  add_limit("max_events", g_origin.settings.max_events);
  add_limit("max_bytes", g_origin.settings.max_bytes);
  add_job(manifest);
  add_environment(manifest);
  add_text(manifest, "rings", session.rings);
  add_text(manifest, "out", session.out);
  const uint32_t sum = checksum(manifest.c_str(), manifest.size());
  manifest << "checksum ";
  manifest.append_hex(sum, 8) << '\n';

  const int fd = session.directory.open_file(kManifestFile, O_WRONLY | O_CREAT | O_EXCL);
  if (fd < 0) return false;
  const bool is_written = write_fully(fd, manifest.c_str(), manifest.size());
  close(fd);
  return is_written;
}

}  // namespace perseid
