// starpu_hooks/record/starpu/find_starpu.cpp: searches the loaded files for libstarpu, and who is
// found first.
#include "starpu_hooks/record/starpu/find_starpu.h"

#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <climits>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "plugin/session/descriptor.h"
#include "plugin/session/elf_imports.h"
#include "plugin/settings/text_buffer.h"

namespace perseid::starpu {

namespace {

constexpr char kLandmark[] = "starpu_task_submit";
/// No hook has its name: programs that contain the hooks themselves do not contain it.
constexpr char kUnhooked[] = "starpu_worker_get_count";

/// Paths of loaded files that look like StarPU, collected before anything is opened: the walk
/// over loaded files must not load any.
struct Candidates {
  static constexpr size_t kMaxCount = 4;
  char paths[kMaxCount][PATH_MAX];
  size_t count = 0;
};

int collect(dl_phdr_info* file, size_t, void* context) noexcept {
  auto& found = *static_cast<Candidates*>(context);
  const char* slash = std::strrchr(file->dlpi_name, '/');
  const char* name = slash ? slash + 1 : file->dlpi_name;
  if (std::strncmp(name, "libstarpu-", 10) == 0 && found.count < Candidates::kMaxCount)
    TextBuffer(found.paths[found.count++]).add(file->dlpi_name);
  return 0;
}

void* open_loaded(const char* path) noexcept {
  return dlopen(path, RTLD_LAZY | RTLD_NOLOAD | RTLD_LOCAL);
}

const char* file_of(const void* address) noexcept {
  Dl_info facts;
  return dladdr(address, &facts) && facts.dli_fname ? facts.dli_fname : nullptr;
}

/// A file of this process's own program, mapped whole.
class MappedProgram {
 public:
  MappedProgram() noexcept {
    const int fd = open_quietly("/proc/self/exe", O_RDONLY);
    struct stat facts;
    if (fd >= 0 && fstat(fd, &facts) == 0 && facts.st_size > 0) {
      size_ = static_cast<size_t>(facts.st_size);
      void* at = mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, fd, 0);
      if (at != MAP_FAILED) data_ = static_cast<const std::byte*>(at);
    }
    if (fd >= 0) close(fd);
  }
  ~MappedProgram() {
    if (data_) munmap(const_cast<std::byte*>(data_), size_);
  }
  MappedProgram(const MappedProgram&) = delete;
  MappedProgram& operator=(const MappedProgram&) = delete;

  template <class T>
  const T* at(uint64_t offset, uint64_t count = 1) const noexcept {
    if (!data_ || offset > size_ || count > (size_ - offset) / sizeof(T)) return nullptr;
    return reinterpret_cast<const T*>(data_ + offset);
  }

 private:
  const std::byte* data_ = nullptr;
  size_t size_ = 0;
};

/// StarPU keeps this text in its read-only data; a stripped program still has it.
bool holds_starpu_text(const MappedProgram& program, const Elf64_Ehdr& header) noexcept {
  constexpr char kText[] = "STARPU_TASK_BREAK_ON_PUSH";
  constexpr uint64_t kMaxBytes = 64u << 20;
  const auto* segments = program.at<Elf64_Phdr>(header.e_phoff, header.e_phnum);
  if (!segments) return false;
  for (int i = 0; i < header.e_phnum; ++i) {
    const Elf64_Phdr& segment = segments[i];
    if (segment.p_type != PT_LOAD || segment.p_flags != PF_R || segment.p_filesz > kMaxBytes)
      continue;
    const auto* bytes = program.at<std::byte>(segment.p_offset, segment.p_filesz);
    if (bytes && memmem(bytes, segment.p_filesz, kText, sizeof kText)) return true;
  }
  return false;
}

}  // namespace

bool is_ours(const void* address) noexcept {
  Dl_info theirs, ours;
  return dladdr(address, &theirs) && dladdr(reinterpret_cast<const void*>(&is_ours), &ours) &&
         theirs.dli_fbase == ours.dli_fbase;
}

void* find_library(const char*& file) noexcept {
  file = nullptr;
  // After us in the search order: LD_PRELOAD, or linked after us.
  if (void* next = dlsym(RTLD_NEXT, kLandmark)) {
    const char* path = file_of(next);
    if (void* library = path ? open_loaded(path) : nullptr) {
      file = path;
      return library;
    }
  }
  // Loaded by dlopen with RTLD_LOCAL, or before us.
  Candidates candidates;
  dl_iterate_phdr(collect, &candidates);
  for (size_t i = 0; i < candidates.count; ++i) {
    void* library = open_loaded(candidates.paths[i]);
    void* landmark = library ? dlsym(library, kLandmark) : nullptr;
    if (landmark && !is_ours(landmark)) {
      file = file_of(landmark);
      return library;
    }
    if (library) dlclose(library);
  }
  return nullptr;
}

Reach reach_of(void* library) noexcept {
  link_map* map = nullptr;
  if (dlinfo(library, RTLD_DI_LINKMAP, &map) != 0 || !map) return Reach::kFull;
  const ElfImports imports(map->l_addr, map->l_ld);
  return imports.is_symbolic() || !imports.imports(kLandmark) ? Reach::kApplication : Reach::kFull;
}

bool is_linked_into_program() noexcept {
  const MappedProgram program;
  const auto* header = program.at<Elf64_Ehdr>(0);
  if (!header || std::memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 ||
      header->e_ident[EI_CLASS] != ELFCLASS64)
    return false;
  const auto* sections = program.at<Elf64_Shdr>(header->e_shoff, header->e_shnum);
  for (int i = 0; sections && i < header->e_shnum; ++i) {
    if (sections[i].sh_type != SHT_SYMTAB || sections[i].sh_link >= header->e_shnum) continue;
    const Elf64_Shdr& names = sections[sections[i].sh_link];
    const uint64_t count = sections[i].sh_size / sizeof(Elf64_Sym);
    const auto* symbols = program.at<Elf64_Sym>(sections[i].sh_offset, count);
    const auto* text = program.at<char>(names.sh_offset, names.sh_size);
    if (!symbols || !text) return false;
    for (uint64_t j = 0; j < count; ++j) {
      const uint64_t at = symbols[j].st_name;
      if (symbols[j].st_shndx != SHN_UNDEF && at < names.sh_size &&
          names.sh_size - at >= sizeof kUnhooked &&
          std::memcmp(text + at, kUnhooked, sizeof kUnhooked) == 0)
        return true;
    }
    return false;
  }
  return holds_starpu_text(program, *header);
}

}  // namespace perseid::starpu
