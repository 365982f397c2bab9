// cmake/fmt_check.cpp: does what our sources do with fmt, to see whether fmt_library.cpp has it
// all.
#include <fmt/format.h>

#include <iterator>
#include <string_view>

int main(int argc, char** argv) {
  fmt::memory_buffer buffer;
  fmt::format_to(std::back_inserter(buffer), "{:>8} {:#x} {}", argc, argc, std::string_view(*argv));
  return fmt::format("{} {:.3f} {:L}", argc * 1.5, argc * 0.5f, argc).size() > buffer.size();
}
