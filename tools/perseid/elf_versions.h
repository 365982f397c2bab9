// tools/perseid/elf_versions.h: the versioned symbols that an ELF file wants, and those it offers.
#pragma once

#include <set>
#include <string>

namespace perseid {

/// "name@VERSION" of each symbol that the file takes from `library` alone. Empty if the file cannot
/// be read, or takes nothing from there.
std::set<std::string> symbols_from(const std::string& path, const std::string& library);

/// "name@VERSION" of each symbol that the file defines.
std::set<std::string> symbols_of(const std::string& path);

}  // namespace perseid
