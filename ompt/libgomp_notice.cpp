// ompt/libgomp_notice.cpp: tells the user of a program on GCC's libgomp why there is no OpenMP.
#include <link.h>
#include <unistd.h>

#include <cstring>

#include "ompt/hooks.h"
#include "plugin/message.h"
#include "plugin/session.h"

namespace perseid::ompt {
namespace {

constexpr char kLibgomp[] = "libgomp.so.1";

constinit pid_t g_loaded_in = 0;

/// The program itself comes first in the loader's list. Only its own wish counts: many libraries
/// bring libgomp along without a use for it.
int look_at_program(dl_phdr_info* info, size_t, void* argument) noexcept {
  const ElfW(Dyn)* dynamic = nullptr;
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    if (info->dlpi_phdr[i].p_type == PT_DYNAMIC)
      dynamic = reinterpret_cast<const ElfW(Dyn)*>(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr);
  }
  if (!dynamic) return 1;
  const char* texts = nullptr;
  for (const ElfW(Dyn)* entry = dynamic; entry->d_tag != DT_NULL; ++entry) {
    // The loader has made an address of it.
    if (entry->d_tag == DT_STRTAB) texts = reinterpret_cast<const char*>(entry->d_un.d_ptr);
  }
  for (const ElfW(Dyn)* entry = dynamic; texts && entry->d_tag != DT_NULL; ++entry) {
    if (entry->d_tag == DT_NEEDED && std::strcmp(texts + entry->d_un.d_val, kLibgomp) == 0)
      *static_cast<bool*>(argument) = true;
  }
  return 1;
}

[[gnu::constructor]] void remember_process() noexcept { g_loaded_in = getpid(); }

/// `perseid run` has its own words for it, and a child would repeat its parent's.
[[gnu::destructor]] void tell() noexcept {
  if (!g_origin.settings.is_on || g_origin.run_registry[0] || g_started_in != 0 ||
      getpid() != g_loaded_in)
    return;
  bool needs_libgomp = false;
  dl_iterate_phdr(look_at_program, &needs_libgomp);
  if (needs_libgomp) {
    say("this program's OpenMP is not recorded: GCC's libgomp has no tools interface; build it "
        "with clang, or use LLVM's runtime in its place: perseid run --openmp=llvm -- PROGRAM");
  }
}

}  // namespace
}  // namespace perseid::ompt
