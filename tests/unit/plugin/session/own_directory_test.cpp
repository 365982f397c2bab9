// tests/unit/plugin/session/own_directory_test.cpp: what is done to the name of a directory does
// not matter.
#include "plugin/session/own_directory.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <fstream>

#include "tests/unit/plugin/temporary_directory.h"

namespace perseid {
namespace {

namespace fs = std::filesystem;

class OwnDirectoryTest : public testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(own_.make(path_.c_str())); }
  void TearDown() override { own_.close(); }
  int create(const char* name) { return own_.open_file(name, O_WRONLY | O_CREAT); }

  TemporaryDirectory around_;
  std::string path_ = around_.file("own");
  OwnDirectory own_;
};

TEST_F(OwnDirectoryTest, IsItsOwnersAloneAndNeverTakenOver) {
  EXPECT_EQ(fs::status(path_).permissions(), fs::perms::owner_all);
  OwnDirectory second;
  EXPECT_FALSE(second.make(path_.c_str()));
  EXPECT_EQ(errno, EEXIST);
  close(create("file"));
  EXPECT_TRUE(fs::exists(path_ + "/file"));
}

TEST_F(OwnDirectoryTest, FilesAreFoundWhereItWentWhenSomebodyMovedIt) {
  fs::rename(path_, around_.file("moved"));
  fs::create_directory(path_);
  EXPECT_FALSE(own_.is_in_place());
  close(create("file"));
  EXPECT_TRUE(fs::exists(around_.file("moved/file")));
  EXPECT_TRUE(fs::is_empty(path_));
  own_.remove_file("file");
  EXPECT_FALSE(fs::exists(around_.file("moved/file")));
  EXPECT_FALSE(own_.remove());
  EXPECT_TRUE(fs::exists(path_)) << "what stands in its place is not ours";
}

TEST_F(OwnDirectoryTest, NoSymbolicLinkIsFollowed) {
  std::ofstream(around_.file("precious")) << "precious";
  fs::create_symlink(around_.file("precious"), path_ + "/file");
  EXPECT_LT(create("file"), 0);
  EXPECT_EQ(fs::file_size(around_.file("precious")), 8u);
  fs::create_symlink(path_, around_.file("link"));
  OwnDirectory linked;
  EXPECT_FALSE(linked.open(around_.file("link").c_str()));
}

TEST_F(OwnDirectoryTest, AClosedDescriptorLeadsBackOnlyToTheSameDirectory) {
  for (int fd = 100; fd < 200; ++fd) close(fd);
  close(create("file"));
  EXPECT_TRUE(fs::exists(path_ + "/file"));
  for (int fd = 100; fd < 200; ++fd) close(fd);
  fs::rename(path_, around_.file("moved"));
  fs::create_directory(path_);
  EXPECT_LT(create("other"), 0);
  EXPECT_TRUE(fs::is_empty(path_));
}

}  // namespace
}  // namespace perseid
