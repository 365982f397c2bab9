// bench/machine.cpp: processor, kernel, compiler and load, from /proc and the compiler.
#include "bench/machine.h"

#include <fmt/format.h>
#include <sys/utsname.h>

#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <string>
#include <thread>

namespace perseid::bench {

namespace {

std::string first_line(const char* path) {
  std::string line;
  std::getline(std::ifstream(path), line);
  return line;
}

std::string processor() {
  std::ifstream facts("/proc/cpuinfo");
  std::string family, model, line;
  const auto value = [&line] { return line.substr(line.find(':') + 2); };
  while (std::getline(facts, line) && !line.empty()) {
    if (line.starts_with("model name")) model = value();
    if (line.starts_with("cpu family")) family = value();
    if (line.starts_with("model\t")) family += fmt::format(", model {}", value());
  }
  return model.empty() ? "unknown" : fmt::format("{} (family {})", model, family);
}

std::string today() {
  const std::time_t now = std::time(nullptr);
  std::tm parts;
  char text[16];
  std::strftime(text, sizeof text, "%Y-%m-%d", localtime_r(&now, &parts));
  return text;
}

}  // namespace

void print_machine() {
  utsname kernel;
  uname(&kernel);
  double load[1] = {0};
  getloadavg(load, 1);
#if defined(__clang__)
  constexpr const char* kCompiler = "clang " __clang_version__;
#else
  constexpr const char* kCompiler = "g++ " __VERSION__;
#endif
  fmt::print(
      "date      {}\n"
      "processor {}, {} CPUs\n"
      "kernel    {} {}, clock source {}\n"
      "compiler  {}\n"
      "load      {:.1f} when this run began\n",
      today(), processor(), std::thread::hardware_concurrency(), kernel.sysname, kernel.release,
      first_line("/sys/devices/system/clocksource/clocksource0/current_clocksource"), kCompiler,
      load[0]);
  std::fflush(stdout);
}

}  // namespace perseid::bench
