// bench/options.h: the command line that all benchmarks understand.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace perseid::bench {

struct Options {
  bool is_quick = false;      // --quick: fewer rounds, wider error bars
  bool shows_machine = true;  // --no-machine: the caller has printed it already
  std::string scratch;        // --scratch DIR: where captures go; on a disk, as in real runs
  std::vector<std::string> rest;
};

/// Exits with a message if an option lacks its value, and after --help.
Options read_options(int count, char** words);

/// The main() of a benchmark: an exception becomes a line on stderr and status 1.
int run_bench(const char* name, int count, char** words, int (*bench)(const Options& options));

/// A directory below `parent` that goes away with everything in it.
class ScratchDirectory {
 public:
  explicit ScratchDirectory(const std::string& parent);
  ~ScratchDirectory();
  ScratchDirectory(const ScratchDirectory&) = delete;
  ScratchDirectory& operator=(const ScratchDirectory&) = delete;

  std::string path() const { return path_.string(); }

 private:
  std::filesystem::path path_;
};

}  // namespace perseid::bench
