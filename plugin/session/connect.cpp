// plugin/session/connect.cpp: finds the note of perseid.h in each loaded file and sets its pointer.
#include "plugin/session/connect.h"

#include <elf.h>
#include <link.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "plugin/record/writable.h"
#include "plugin/session/session.h"

/// Of this library, which is built with perseid.h, too, and calls none of it.
extern "C" [[gnu::weak, gnu::visibility("hidden")]] const perseid_api* perseid_api_slot;

namespace perseid {

namespace {

constinit std::atomic<bool> g_has_annotations{false};

constexpr char kOwner[] = "Perseid";
constexpr uint32_t kSlotNote = 1;

constexpr size_t round_up(size_t value, size_t step) noexcept {
  return (value + step - 1) / step * step;
}

void connect_slot(const std::byte* descriptor) noexcept {
  int64_t distance;
  std::memcpy(&distance, descriptor, sizeof distance);
  auto* slot = reinterpret_cast<const perseid_api**>(const_cast<std::byte*>(descriptor) + distance);
  // Tools that rewrite programs may keep the note without the variable it points to.
  const bool is_aligned = reinterpret_cast<uintptr_t>(slot) % alignof(const perseid_api*) == 0;
  if (!is_aligned || !is_writable(slot)) return;
  __atomic_store_n(slot, annotation_api(), __ATOMIC_RELEASE);
  if (slot != &perseid_api_slot) g_has_annotations.store(true);
}

void read_notes(const std::byte* at, size_t bytes, size_t alignment) noexcept {
  const std::byte* end = at + bytes;
  while (static_cast<size_t>(end - at) >= sizeof(ElfW(Nhdr))) {
    ElfW(Nhdr) note;
    std::memcpy(&note, at, sizeof note);
    const std::byte* name = at + sizeof note;
    const std::byte* descriptor = name + round_up(note.n_namesz, alignment);
    if (descriptor > end || note.n_descsz > static_cast<size_t>(end - descriptor)) return;
    if (note.n_type == kSlotNote && note.n_namesz == sizeof kOwner &&
        std::memcmp(name, kOwner, sizeof kOwner) == 0 && note.n_descsz == sizeof(int64_t))
      connect_slot(descriptor);
    at = descriptor + round_up(note.n_descsz, alignment);
  }
}

/// Notes may also be in the file alone.
bool is_in_memory(const dl_phdr_info* file, const ElfW(Phdr) & part) noexcept {
  for (int i = 0; i < file->dlpi_phnum; ++i) {
    const ElfW(Phdr)& loaded = file->dlpi_phdr[i];
    if (loaded.p_type == PT_LOAD && part.p_vaddr >= loaded.p_vaddr &&
        part.p_memsz <= loaded.p_memsz &&
        part.p_vaddr - loaded.p_vaddr <= loaded.p_memsz - part.p_memsz)
      return true;
  }
  return false;
}

int visit_file(dl_phdr_info* file, size_t, void*) noexcept {
  for (int i = 0; i < file->dlpi_phnum; ++i) {
    const ElfW(Phdr)& segment = file->dlpi_phdr[i];
    if (segment.p_type != PT_NOTE || !is_in_memory(file, segment)) continue;
    const auto* notes = reinterpret_cast<const std::byte*>(file->dlpi_addr + segment.p_vaddr);
    read_notes(notes, segment.p_memsz, segment.p_align == 8 ? 8 : 4);
  }
  return 0;
}

}  // namespace

bool has_annotations() noexcept { return g_has_annotations.load(); }

void connect_programs() noexcept { dl_iterate_phdr(visit_file, nullptr); }

}  // namespace perseid

/// Called by shared libraries built with perseid.h that are loaded after us.
extern "C" [[gnu::visibility("default")]] const perseid_api* perseid_connect() noexcept {
  if (!perseid::g_origin.settings.is_on) return nullptr;
  perseid::g_has_annotations.store(true);
  return perseid::annotation_api();
}
