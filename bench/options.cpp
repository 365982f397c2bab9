// bench/options.cpp: parses --quick and the options of each benchmark.
#include "bench/options.h"

#include <stdlib.h>

#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string_view>

namespace perseid::bench {
namespace {

constexpr const char* kHelp =
    "options of all benchmarks:\n"
    "  --quick         fewer rounds, wider error bars\n"
    "  --no-machine    do not print what machine this is\n"
    "  --scratch DIR   where captures go; on a disk, as in real runs\n"
    "bench/run.sh runs them all with the operands that some of them need.\n";

}  // namespace

Options read_options(int count, char** words) {
  Options options;
  options.scratch = std::filesystem::temp_directory_path();
  for (int i = 1; i < count; ++i) {
    const std::string_view word = words[i];
    if (word == "--quick") {
      options.is_quick = true;
    } else if (word == "--no-machine") {
      options.shows_machine = false;
    } else if (word == "--scratch") {
      if (++i == count) {
        std::fputs("--scratch needs a directory\n", stderr);
        std::exit(2);
      }
      options.scratch = std::filesystem::absolute(words[i]);
    } else if (word == "--help" || word == "-h") {
      std::fputs(kHelp, stdout);
      std::exit(0);
    } else {
      options.rest.emplace_back(word);
    }
  }
  return options;
}

int run_bench(const char* name, int count, char** words, int (*bench)(const Options& options)) {
  try {
    return bench(read_options(count, words));
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s: %s\n", name, error.what());
    return 1;
  }
}

ScratchDirectory::ScratchDirectory(const std::string& parent) {
  std::string name = parent + "/perseid-bench-XXXXXX";
  if (!mkdtemp(name.data())) throw std::runtime_error("cannot make a directory in " + parent);
  path_ = name;
}

ScratchDirectory::~ScratchDirectory() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

}  // namespace perseid::bench
