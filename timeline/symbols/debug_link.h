// timeline/symbols/debug_link.h: files that hold what was stripped from a program or library.
#pragma once

#include <string>
#include <vector>

#include "timeline/symbols/module_table.h"

namespace perseid {

inline constexpr char kDebugRoot[] = "/usr/lib/debug";

/// The file that the section .gnu_debuglink of `path` names: in the directory of `path`, in .debug
/// below it, or below `debug_root`. Its checksum is the one in the section. Empty if there is none.
std::string find_debug_link(const std::string& path, const std::string& debug_root = kDebugRoot);

/// By the build id, then by the link. Whoever opens them compares the build id again.
std::vector<std::string> separate_debug_files(const Module& module);

}  // namespace perseid
