// tests/host/privileged_test.cpp: a program with rights that its caller does not have, linked with
// the library, makes no file because of the caller's environment.
#include <grp.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

#include "tests/host/harness.h"

namespace perseid::host {
namespace {

constexpr uid_t kProcNull = 65534;

/// A copy of the program that runs with more rights than whoever starts it: as root's when nobody
/// starts it; without root, with another of our own groups.
std::string make_privileged(const Sandbox& sandbox, const std::string& name) {
  const std::string copy = sandbox.path(name);
  std::filesystem::copy_file(program_path("privileged"), copy);
  if (geteuid() == 0) {
    EXPECT_EQ(chmod(copy.c_str(), 04755), 0);
    return copy;
  }
  gid_t groups[256];
  const int count = getgroups(256, groups);
  for (int i = 0; i < count; ++i) {
    if (groups[i] == getgid()) continue;
    EXPECT_EQ(chown(copy.c_str(), static_cast<uid_t>(-1), groups[i]), 0);
    EXPECT_EQ(chmod(copy.c_str(), 02755), 0);
    return copy;
  }
  ADD_FAILURE() << "this test needs root, or a user with a second group";
  return copy;
}

std::filesystem::path outer_directory(const Sandbox& sandbox) {
  return std::filesystem::path(sandbox.directory()).parent_path();
}

/// Nobody may not enter a build that lies in root's home, so the library is put where everybody
/// may.
void put_library_within_reach(const Sandbox& sandbox) {
  const std::filesystem::path library = library_path();
  std::filesystem::copy_file(library, outer_directory(sandbox) / library.filename());
}

/// `program` is started by somebody with fewer rights, who may write in the sandbox.
Ending run_by_another(Sandbox& sandbox, const std::string& program) {
  Launch launch{.program = program,
                .settings = "out=" + sandbox.path("planted.json") +
                            ",log=" + sandbox.path("planted.log") + ",rong=1",
                .is_preloaded = false};
  launch.environment = {{"STARPU_TRACE_PLUGIN", sandbox.path("planted-too.json")},
                        {"LD_LIBRARY_PATH", outer_directory(sandbox)}};
  launch.before_exec = [] {
    if (geteuid() != 0) return;
    if (setgroups(0, nullptr) != 0 || setgid(kProcNull) != 0 || setuid(kProcNull) != 0) _exit(125);
  };
  return sandbox.run(launch);
}

TEST(Privileged, AProgramTakesNoOrdersFromTheEnvironment) {
  Sandbox sandbox;
  std::filesystem::permissions(sandbox.directory(), std::filesystem::perms::all);
  std::filesystem::permissions(outer_directory(sandbox), std::filesystem::perms::all);
  put_library_within_reach(sandbox);
  const std::string program = make_privileged(sandbox, "privileged");
  const Ending ending = run_by_another(sandbox, program);
  EXPECT_TRUE(ending.is_success()) << ending.describe();
  EXPECT_EQ(ending.out, "secure 1 here 0\n");
  EXPECT_EQ(ending.err, "");
  EXPECT_EQ(sandbox.files(), std::vector<std::string>{"privileged"});

  // The same file without its rights is traced: it was them that kept the library off.
  ASSERT_EQ(chmod(program.c_str(), 0755), 0);
  const Ending ordinary = run_by_another(sandbox, program);
  EXPECT_EQ(ordinary.out, "secure 0 here 1\n") << ordinary.describe();
  EXPECT_EQ(sandbox.files(),
            (std::vector<std::string>{"planted.json", "planted.log", "privileged"}));
}

}  // namespace
}  // namespace perseid::host
