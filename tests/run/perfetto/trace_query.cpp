// tests/run/perfetto/trace_query.cpp: runs trace_query.mjs and reads its answer.
#include "tests/run/perfetto/trace_query.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "capture/file.h"
#include "tests/stream/fabricate.h"
#include "tests/stream/temporary_directory.h"
#include "timeline/check/json_reader.h"

namespace perseid::test {
namespace {

/// [{"columns": [...], "rows": [[...], ...]}, ...]
class AnswerVisitor final : public JsonVisitor {
 public:
  explicit AnswerVisitor(TraceAnswer& answer) : answer_(&answer) {}
  void begin(bool) override {
    ++depth_;
    if (depth_ == 2) answer_->results.emplace_back();
    if (depth_ == 4 && is_rows_) answer_->results.back().emplace_back();
  }
  void end(bool) override { --depth_; }
  void key(std::string_view name) override {
    if (depth_ == 2) is_rows_ = name == "rows";
  }
  void text(std::string_view value) override { add(value); }
  void number(std::string_view digits) override { add(digits); }
  void word(std::string_view literal) override { add(literal); }

 private:
  void add(std::string_view value) {
    if (depth_ == 4 && is_rows_) answer_->results.back().back().emplace_back(value);
  }

  TraceAnswer* answer_;
  int depth_ = 0;
  bool is_rows_ = false;
};

int run(const std::vector<std::string>& command, const std::string& out, const std::string& err) {
  std::vector<char*> argv;
  for (const std::string& word : command) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  constexpr int kFlags = O_WRONLY | O_CREAT | O_TRUNC;
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, out.c_str(), kFlags, 0600);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, err.c_str(), kFlags, 0600);
  pid_t child = 0;
  const int failed = ::posix_spawnp(&child, argv[0], &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  int status = 0;
  if (failed != 0 || ::waitpid(child, &status, 0) != child) return -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

}  // namespace

TraceAnswer query_trace(const std::string& file, const std::vector<std::string>& queries) {
  TraceAnswer answer;
  const TemporaryDirectory directory;
  const std::string out = directory / "out";
  const std::string err = directory / "err";
  std::vector<std::string> command = {"node", PERSEID_TRACE_QUERY, file, "--json"};
  command.insert(command.end(), queries.begin(), queries.end());
  ::setenv("TRACE_PROCESSOR", PERSEID_TRACE_PROCESSOR, 1);
  if (run(command, out, err) != 0) {
    answer.error = "the trace processor failed: " + read_file(err);
    return answer;
  }
  const File printed(out);
  AnswerVisitor visitor(answer);
  if (const Result<bool> whole = read_json(printed, visitor); !whole) {
    answer.error = "its answer is no JSON: " + whole.error();
  }
  return answer;
}

}  // namespace perseid::test
