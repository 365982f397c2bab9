// bench/child.cpp: starts a benchmark again as a child and reads the figures it prints.
#include "bench/child.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <stdexcept>

#include "bench/statistics.h"

namespace perseid::bench {

namespace {

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  size_t from = 0;
  for (size_t to; (to = text.find(separator, from)) != std::string::npos; from = to + 1)
    parts.push_back(text.substr(from, to - from));
  if (from < text.size()) parts.push_back(text.substr(from));
  return parts;
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> result;
  for (std::string& text : texts) result.push_back(text.data());
  result.push_back(nullptr);
  return result;
}

std::vector<std::string> environment_with(const std::string& setting) {
  std::vector<std::string> result;
  for (char** variable = environ; *variable; ++variable)
    if (!std::string_view(*variable).starts_with("PERSEID=")) result.emplace_back(*variable);
  if (!setting.empty()) result.push_back("PERSEID=" + setting);
  return result;
}

std::string read_all(int fd) {
  std::string text;
  char block[4096];
  for (ssize_t got; (got = read(fd, block, sizeof block)) > 0;)
    text.append(block, static_cast<size_t>(got));
  return text;
}

}  // namespace

std::string own_program() { return std::filesystem::read_symlink("/proc/self/exe"); }

Rows run_child(const std::string& program, const std::vector<std::string>& arguments,
               const std::string& setting) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) throw std::runtime_error("cannot make a pipe");
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  std::vector<std::string> words{program};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<std::string> variables = environment_with(setting);
  pid_t child = 0;
  const int error = posix_spawn(&child, program.c_str(), &actions, nullptr, pointers(words).data(),
                                pointers(variables).data());
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  const std::string output = error == 0 ? read_all(ends[0]) : "";
  close(ends[0]);
  if (error != 0)
    throw std::runtime_error(fmt::format("cannot run {}: {}", program, std::strerror(error)));
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
  if (status != 0)
    throw std::runtime_error(fmt::format("{} failed, status {:#x}", program, status));

  Rows rows;
  for (const std::string& line : split(output, '\n')) rows.push_back(split(line, '\t'));
  return rows;
}

void print_rows(const std::vector<Measurement>& measurements) {
  for (const Measurement& m : measurements) fmt::print("{}\t{}\t{}\n", m.name, m.ns, m.ratio);
  std::fflush(stdout);
}

void Collected::add(const Rows& rows) {
  for (const auto& row : rows) {
    auto [at, is_new] = samples_.try_emplace(row.at(0));
    if (is_new) order_.push_back(row.at(0));
    at->second.ns.push_back(std::stod(row.at(1)));
    at->second.ratios.push_back(std::stod(row.at(2)));
  }
}

std::vector<Measurement> Collected::medians() const {
  std::vector<Measurement> result;
  for (const std::string& name : order_) {
    const Samples& samples = samples_.at(name);
    result.push_back({name, median(samples.ns), median(samples.ratios)});
  }
  return result;
}

}  // namespace perseid::bench
