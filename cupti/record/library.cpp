// cupti/record/library.cpp: looks in the process first, then by soname, then in CUDA's directories.
#include "cupti/record/library.h"

#include <dlfcn.h>

#include <climits>
#include <cstdlib>

#include "plugin/settings/fixed_text.h"

namespace perseid::cupti {

namespace {

/// Until CUDA 11 the minor version was part of the name.
constexpr const char* kNames[] = {"libcupti.so.13",   "libcupti.so.12",   "libcupti.so.11.8",
                                  "libcupti.so.11.7", "libcupti.so.11.6", "libcupti.so.11.5",
                                  "libcupti.so.11.4", "libcupti.so.11.3", "libcupti.so.11.2",
                                  "libcupti.so.11.1", "libcupti.so.11.0"};

/// Where toolkits put it, often outside the loader's search.
constexpr const char* kFolders[] = {"/lib64/", "/extras/CUPTI/lib64/"};

constinit char g_file[PATH_MAX] = "";

void* open_in_toolkit(const char* toolkit) noexcept {
  if (!toolkit || !*toolkit) return nullptr;
  for (const char* folder : kFolders) {
    for (const char* name : kNames) {
      PathText path;
      path << toolkit << folder << name;
      if (void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL)) return library;
    }
  }
  return nullptr;
}

template <class Function>
bool find(void* library, const char* name, Function& function) noexcept {
  function = reinterpret_cast<Function>(dlsym(library, name));
  return function != nullptr;
}

}  // namespace

/// One that is in the process already comes first: two of them would fight.
void* open_library() noexcept {
  if (const char* chosen = secure_getenv("PERSEID_CUPTI"))
    return dlopen(chosen, RTLD_NOW | RTLD_LOCAL);
  for (const char* name : kNames) {
    if (void* library = dlopen(name, RTLD_NOW | RTLD_NOLOAD)) return library;
  }
  for (const char* name : kNames) {
    if (void* library = dlopen(name, RTLD_NOW | RTLD_LOCAL)) return library;
  }
  for (const char* variable : {"CUDA_HOME", "CUDA_PATH"}) {
    if (void* library = open_in_toolkit(secure_getenv(variable))) return library;
  }
  return open_in_toolkit("/usr/local/cuda");
}

bool load_library(Library& library, const char*& file, char* why, size_t why_bytes) noexcept {
  void* opened = open_library();
  if (!opened) {
    TextBuffer text(why, why_bytes);
    if (const char* chosen = secure_getenv("PERSEID_CUPTI"))
      text.add("PERSEID_CUPTI=").add_quoted(chosen).add(" cannot be loaded");
    else
      text.add("no libcupti was found; set LD_LIBRARY_PATH, CUDA_HOME or PERSEID_CUPTI");
    return false;
  }
  const bool is_whole =
      find(opened, "cuptiGetVersion", library.get_version) &&
      find(opened, "cuptiGetTimestamp", library.get_timestamp) &&
      find(opened, "cuptiSubscribe", library.subscribe) &&
      find(opened, "cuptiUnsubscribe", library.unsubscribe) &&
      find(opened, "cuptiEnableCallback", library.enable_callback) &&
      find(opened, "cuptiActivityEnable", library.activity_enable) &&
      find(opened, "cuptiActivityRegisterCallbacks", library.register_callbacks) &&
      find(opened, "cuptiActivityGetNextRecord", library.next_record) &&
      find(opened, "cuptiActivityFlushAll", library.flush_all);
  find(opened, "cuptiGetResultString", library.get_result_string);
  find(opened, "cuptiSubscribe_v2", library.subscribe_v2);
  find(opened, "cuptiActivityEnableAndDump", library.activity_enable_and_dump);
  find(opened, "cuptiActivityRegisterTimestampCallback", library.register_timestamp);
  find(opened, "cuptiActivitySetAttribute", library.set_attribute);
  find(opened, "cuptiActivityGetNumDroppedRecords", library.dropped_records);
  find(opened, "cuptiActivityFlushPeriod", library.flush_period);

  Dl_info facts{};
  if (library.get_version) dladdr(reinterpret_cast<void*>(library.get_version), &facts);
  TextBuffer(g_file).add(facts.dli_fname ? facts.dli_fname : "libcupti");
  file = g_file;
  if (!is_whole) TextBuffer(why, why_bytes).add(g_file).add(" lacks functions of CUPTI 11.0");
  return is_whole;
}

}  // namespace perseid::cupti
