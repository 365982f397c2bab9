// tests/unit/timeline/symbols/symbols_test.cpp: this program's own functions, found again.
#include "timeline/symbols/symbols.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <link.h>
#include <unistd.h>

#include "timeline/symbols/symbol_table.h"

namespace perseid {
namespace {

/// The line of this program as the recording half writes it, without a build id.
std::string own_module(const std::string& build_id = "-") {
  char path[4096] = "";
  const ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
  uint64_t bias = 0;
  dl_iterate_phdr(
      [](dl_phdr_info* info, size_t, void* argument) {
        *static_cast<uint64_t*>(argument) = info->dlpi_addr;
        return 1;  // the program comes first
      },
      &bias);
  return fmt::format("module 1 {:x} {:x} {:x} {} {}\n", bias, bias + (uint64_t{1} << 30), bias,
                     build_id,
                     std::string(path, static_cast<size_t>(std::max<ssize_t>(length, 0))));
}

[[gnu::noinline]] uint64_t return_address_of_caller() {
  return reinterpret_cast<uint64_t>(__builtin_return_address(0));
}

struct Called {
  uint64_t address;
  int line;
};
[[gnu::noinline]] Called call_from_here() {
  const uint64_t address = return_address_of_caller();
  return {address + 0, __LINE__ - 1};
}

[[gnu::always_inline]] inline Called inlined_call() {
  const uint64_t address = return_address_of_caller();
  return {address + 0, __LINE__ - 1};
}
[[gnu::noinline]] Called call_through_inlining() {
  const Called called = inlined_call();
  return {called.address + 0, called.line};
}

TEST(Symbols, AReturnAddressBecomesFunctionFileAndLine) {
  Symbols symbols(own_module(), true);
  const Called called = call_from_here();
  EXPECT_EQ(symbols.caller(called.address, 1).text(),
            fmt::format("perseid::call_from_here (symbols_test.cpp:{})", called.line));
}

TEST(Symbols, AnInlinedFunctionIsNamedInsteadOfTheOneAroundIt) {
  Symbols symbols(own_module(), true);
  const Called called = call_through_inlining();
  EXPECT_EQ(symbols.caller(called.address, 1).text(),
            fmt::format("perseid::inlined_call (symbols_test.cpp:{})", called.line));
}

TEST(Symbols, AFunctionsAddressBecomesItsName) {
  Symbols symbols(own_module(), true);
  const auto address = reinterpret_cast<uint64_t>(&call_from_here);
  EXPECT_EQ(symbols.function(address, 1).function, "perseid::call_from_here");
}

TEST(Symbols, WithoutLibrariesTheSymbolTableGivesTheFunction) {
  Symbols symbols(own_module(), false);
  const CodePlace& place = symbols.caller(call_from_here().address, 1);
  EXPECT_EQ(place.function, "perseid::call_from_here");
  EXPECT_EQ(place.line, 0);
  EXPECT_EQ(place.text(),
            fmt::format("perseid::call_from_here ({}+{:#x})", place.module, place.offset));
}

TEST(Symbols, AFileThatIsNoLongerTheSameIsNotBelieved) {
  Symbols symbols(own_module("0123456789abcdef"), true);
  const CodePlace& place = symbols.caller(call_from_here().address, 1);
  EXPECT_EQ(place.text(), fmt::format("{}+{:#x}", place.module, place.offset));
}

TEST(Symbols, AnAddressOutsideOfAllModulesHasNoName) {
  Symbols symbols(own_module(), true);
  EXPECT_EQ(symbols.caller(0x10, 1).text(), "");
  EXPECT_EQ(symbols.caller(0, 1).text(), "");
}

TEST(Symbols, AddressesInsideTheRuntimeAreMarked) {
  Symbols symbols("module 1 1000 2000 1000 - /usr/lib/llvm-14/lib/libomp.so.5\n", true);
  EXPECT_TRUE(symbols.caller(0x1800, 1).is_runtime);
}

TEST(SymbolTable, IsEmptyForWhatIsNoElfFile) {
  EXPECT_EQ(SymbolTable("/etc/passwd", "").size(), 0u);
  EXPECT_EQ(SymbolTable("/nowhere", "").size(), 0u);
  EXPECT_EQ(SymbolTable("/etc", "").size(), 0u);
}

}  // namespace
}  // namespace perseid
