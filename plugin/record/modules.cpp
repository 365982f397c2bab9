// plugin/record/modules.cpp: a small lock-free cache of addresses; misses ask the loader.
#include "plugin/record/modules.h"

#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

#include "capture/checksum.h"
#include "plugin/record/clock.h"
#include "plugin/record/emit.h"
#include "plugin/session/descriptor.h"
#include "plugin/session/session.h"
#include "plugin/settings/fixed_text.h"

namespace perseid {

namespace {

constexpr size_t kMaxBuildIdBytes = 32;

/// What is known of a loaded file. Copied while the loader's list is locked.
struct LoadedFile {
  uint64_t wanted;  // the address that is looked for
  CodeRange range;
  uint64_t bias;
  PathText path;
  FixedText<2 * kMaxBuildIdBytes + 1> build_id;
  bool is_found;
};

constexpr size_t round_up(size_t value, size_t step) noexcept {
  return (value + step - 1) / step * step;
}

void read_build_id(const std::byte* at, size_t bytes, LoadedFile& file) noexcept {
  const std::byte* end = at + bytes;
  while (static_cast<size_t>(end - at) >= sizeof(ElfW(Nhdr))) {
    ElfW(Nhdr) note;
    std::memcpy(&note, at, sizeof note);
    const std::byte* name = at + sizeof note;
    const std::byte* descriptor = name + round_up(note.n_namesz, 4);
    if (descriptor > end || note.n_descsz > static_cast<size_t>(end - descriptor)) return;
    if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == sizeof ELF_NOTE_GNU &&
        std::memcmp(name, ELF_NOTE_GNU, sizeof ELF_NOTE_GNU) == 0) {
      for (size_t i = 0; i < std::min<size_t>(note.n_descsz, kMaxBuildIdBytes); ++i)
        file.build_id.append_hex(static_cast<uint64_t>(descriptor[i]), 2);
      return;
    }
    at = descriptor + round_up(note.n_descsz, 4);
  }
}

/// The loader knows the program itself by an empty name, and a library by the name it was opened
/// with, which may start in the directory of that time.
void read_path(const char* name, LoadedFile& file) noexcept {
  if (!name || !name[0]) {
    char program[PATH_MAX];
    const ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    program[std::max<ssize_t>(length, 0)] = '\0';
    file.path << program;
  } else {
    if (name[0] != '/') file.path << g_origin.directory << '/';
    file.path << name;
  }
}

CodeRange extent(const dl_phdr_info& info) noexcept {
  CodeRange range{UINT64_MAX, 0};
  for (int i = 0; i < info.dlpi_phnum; ++i) {
    const ElfW(Phdr)& segment = info.dlpi_phdr[i];
    if (segment.p_type != PT_LOAD) continue;
    const uint64_t begin = info.dlpi_addr + segment.p_vaddr;
    range.begin = std::min(range.begin, begin);
    range.end = std::max(range.end, begin + segment.p_memsz);
  }
  return range;
}

int look_at_file(dl_phdr_info* info, size_t, void* argument) noexcept {
  auto& file = *static_cast<LoadedFile*>(argument);
  const CodeRange range = extent(*info);
  if (!range.contains(file.wanted)) return 0;
  file.is_found = true;
  file.range = range;
  file.bias = info->dlpi_addr;
  read_path(info->dlpi_name, file);
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr)& segment = info->dlpi_phdr[i];
    if (segment.p_type != PT_NOTE) continue;
    const auto* notes = reinterpret_cast<const std::byte*>(info->dlpi_addr + segment.p_vaddr);
    read_build_id(notes, segment.p_memsz, file);
  }
  return 1;
}

}  // namespace

CodeRange code_range_of(const void* address) noexcept {
  struct Search {
    uint64_t wanted;
    CodeRange found;
  } search{reinterpret_cast<uint64_t>(address), {}};
  const auto visit = [](dl_phdr_info* info, size_t, void* argument) noexcept {
    auto& wanted = *static_cast<Search*>(argument);
    const CodeRange range = extent(*info);
    if (!range.contains(wanted.wanted)) return 0;
    wanted.found = range;
    return 1;
  };
  dl_iterate_phdr(visit, &search);
  return search.found;
}

/// True for the one caller that shall write the line. A library that comes back to another place,
/// or another one to the same, has another checksum.
bool Modules::add_once(uint64_t begin, uint64_t checksum) noexcept {
  const uint64_t key = (checksum << 32 ^ begin) | 1;
  for (std::atomic<uint64_t>& written : written_) {
    uint64_t seen = 0;
    if (written.compare_exchange_strong(seen, key)) return true;
    if (seen == key) return false;
  }
  return false;
}

void Modules::note(uint64_t address) noexcept {
  LoadedFile file{};
  file.wanted = address;
  dl_iterate_phdr(look_at_file, &file);
  if (file.is_found && !std::strchr(file.path.c_str(), '\n')) {
    FixedText<PATH_MAX + 256> line;
    line << "module ";
    line.append_hex(read_ticks(), 16) << ' ';
    const size_t fixed = line.size();
    line.append_hex(file.range.begin, 16) << ' ';
    line.append_hex(file.range.end, 16) << ' ';
    line.append_hex(file.bias, 16) << ' ';
    line << (file.build_id.size() ? file.build_id.c_str() : "-") << ' ' << file.path.c_str()
         << '\n';
    const uint32_t sum = perseid::checksum(line.c_str() + fixed, line.size() - fixed);
    if (add_once(file.range.begin, sum)) lines_.append(line.view());
  }
  // The older of the two makes room.
  const size_t at = slot_of(address);
  slots_[at ^ 1].store(slots_[at].load(std::memory_order_relaxed), std::memory_order_relaxed);
  slots_[at].store(address, std::memory_order_release);
}

bool ModuleLines::append(std::string_view line) noexcept {
  const auto bytes = static_cast<uint32_t>(round_up(sizeof(uint32_t) + line.size(), 4));
  const uint32_t at = reserved_.fetch_add(bytes, std::memory_order_relaxed);
  if (at > kRoomBytes || bytes > kRoomBytes - at) return false;
  std::memcpy(room_ + at + sizeof(uint32_t), line.data(), line.size());
  length_at(at).store(static_cast<uint32_t>(line.size()), std::memory_order_release);
  Session& s = session();
  return s.drainer.wait_for([&] {
    return written_.load(std::memory_order_acquire) > at || s.state.load() != SessionState::kOn;
  });
}

bool ModuleLines::write(OwnDirectory& capture) noexcept {
  const uint32_t from = written_.load(std::memory_order_relaxed);
  uint32_t at = from;
  int fd = -1;
  while (at < kRoomBytes) {
    const uint32_t length = length_at(at).load(std::memory_order_acquire);
    if (length == 0) break;
    if (fd < 0) fd = capture.open_file(kModulesFile, O_WRONLY | O_CREAT | O_APPEND);
    if (fd >= 0) write_fully(fd, room_ + at + sizeof length, length);
    at += static_cast<uint32_t>(round_up(sizeof length + length, 4));
  }
  if (fd >= 0) close(fd);
  written_.store(at, std::memory_order_release);
  return at != from;
}

void ModuleLines::forget() noexcept {
  const uint32_t used = std::min(reserved_.load(std::memory_order_relaxed), kRoomBytes);
  std::memset(room_, 0, used);
  reserved_.store(0, std::memory_order_relaxed);
  written_.store(0, std::memory_order_relaxed);
}

void Modules::forget() noexcept {
  lines_.forget();
  for (std::atomic<uint64_t>& slot : slots_) slot.store(0, std::memory_order_relaxed);
  for (std::atomic<uint64_t>& written : written_) written.store(0, std::memory_order_relaxed);
}

void note_new_code(uint64_t address) noexcept {
  const InsideGuard inside;
  if (!inside) return;
  const SystemCallGuard guard;
  if (!t_ring && !join_session()) return;
  g_modules.note(address);
}

}  // namespace perseid
