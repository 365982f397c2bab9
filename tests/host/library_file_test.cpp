// tests/host/library_file_test.cpp: what the library's file asks of a process and shows to it.
// Release builds only: a sanitizer adds needs and symbols of its own.
#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <memory>
#include <regex>
#include <set>
#include <sstream>

#include "tests/host/harness.h"

namespace perseid::host {
namespace {

std::string output_of(const std::string& command) {
  const std::unique_ptr<FILE, int (*)(FILE*)> pipe(popen(command.c_str(), "r"), pclose);
  std::string text;
  std::array<char, 4096> part;
  while (pipe && fgets(part.data(), part.size(), pipe.get())) text += part.data();
  return text;
}

TEST(LibraryFile, ExportsExactlyTheSymbolsOfTheMap) {
  const std::string map =
      std::regex_replace(read_text(PERSEID_EXPORTS_MAP), std::regex("/\\*[^]*?\\*/"), "");
  const std::string global =
      map.substr(map.find("global:"), map.find("local:") - map.find("global:"));
  std::set<std::string> wanted;
  const std::regex symbol("([A-Za-z_][A-Za-z_0-9]*);");
  for (std::sregex_iterator it(global.begin(), global.end(), symbol), end; it != end; ++it)
    wanted.insert((*it)[1]);
  std::set<std::string> found;
  std::istringstream lines(output_of("nm -D --defined-only " + library_path()));
  for (std::string line; std::getline(lines, line);) {
    EXPECT_EQ(line.find(" u "), std::string::npos) << "unique symbol: " << line;
    found.insert(line.substr(line.rfind(' ') + 1));
  }
  EXPECT_FALSE(wanted.empty());
  EXPECT_EQ(found, wanted);
}

TEST(LibraryFile, NeedsTheCLibraryOnly) {
  const std::string dynamic = output_of("readelf -d " + library_path());
  std::set<std::string> needed;
  const std::regex entry("NEEDED[^\\[]*\\[([^\\]]*)\\]");
  for (std::sregex_iterator it(dynamic.begin(), dynamic.end(), entry), end; it != end; ++it)
    needed.insert((*it)[1]);
  EXPECT_TRUE(needed.contains("libc.so.6"));
  needed.erase("libc.so.6");
  needed.erase("libm.so.6");  // a part of the C library in a file of its own
  needed.erase("ld-linux-x86-64.so.2");
  EXPECT_EQ(needed, std::set<std::string>{});
  EXPECT_NE(dynamic.find("NODELETE"), std::string::npos);
}

TEST(LibraryFile, TakesAtMost32BytesOfEachThreadsStaticMemory) {
  const std::string segments = output_of("readelf -lW " + library_path());
  std::smatch found;
  // Type, offset, two addresses, size in the file, size in memory.
  ASSERT_TRUE(std::regex_search(
      segments, found,
      std::regex("TLS +0x[0-9a-f]+ +0x[0-9a-f]+ +0x[0-9a-f]+ +0x[0-9a-f]+ +0x([0-9a-f]+)")))
      << segments;
  EXPECT_LE(std::stoul(found[1], nullptr, 16), 32u);
}

}  // namespace
}  // namespace perseid::host
