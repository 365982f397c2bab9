// tests/unit/timeline/writers/unfinished_file_test.cpp: bytes before a file has its name.
#include "timeline/writers/unfinished_file.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <vector>

#include "tests/stream/fabricate.h"

namespace perseid {
namespace {

using test::read_file;
using test::TemporaryDirectory;
using test::write_file;
using Kind = UnfinishedFile::Kind;

constexpr Kind kKinds[] = {Kind::kNamelessIfPossible, Kind::kNamed};

std::vector<std::string> names_in(const TemporaryDirectory& directory) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(directory.path())) {
    names.push_back(entry.path().filename());
  }
  return names;
}

TEST(UnfinishedFile, TwoOfOneNameDoNotMeet) {
  for (const Kind kind : kKinds) {
    const TemporaryDirectory directory;
    const std::string path = directory / "run.json";
    UnfinishedFile first(path, kind);
    UnfinishedFile second(path, kind);
    ASSERT_TRUE(first.is_open());
    ASSERT_TRUE(second.is_open());
    ASSERT_EQ(write(first.descriptor(), "first", 5), 5);
    ASSERT_EQ(write(second.descriptor(), "second", 6), 6);
    EXPECT_EQ(second.name_it(path), 0);
    EXPECT_EQ(first.name_it(path), EEXIST);
    EXPECT_EQ(first.name_it(directory / "run.1.json"), 0);
    EXPECT_EQ(read_file(path), "second");
    EXPECT_EQ(read_file(directory / "run.1.json"), "first");
    EXPECT_EQ(names_in(directory).size(), 2u);
  }
}

TEST(UnfinishedFile, LeavesNothingWithoutAName) {
  for (const Kind kind : kKinds) {
    const TemporaryDirectory directory;
    { const UnfinishedFile file(directory / "run.json", kind); }
    EXPECT_TRUE(names_in(directory).empty());
  }
}

TEST(UnfinishedFile, WhatAKilledWriterLeftIsRemovedByTheNext) {
  const TemporaryDirectory directory;
  write_file(directory / ".run.json.0123456789abcdef.partial", "half");
  write_file(directory / ".other.json.0123456789abcdef.partial", "not of this name");
  const UnfinishedFile alive(directory / "run.json", Kind::kNamed);
  const UnfinishedFile next(directory / "run.json", Kind::kNamed);
  ASSERT_TRUE(next.is_open());
  EXPECT_FALSE(std::filesystem::exists(directory / ".run.json.0123456789abcdef.partial"));
  EXPECT_TRUE(std::filesystem::exists(directory / ".other.json.0123456789abcdef.partial"));
  EXPECT_TRUE(std::filesystem::exists(alive.name()));
  EXPECT_TRUE(std::filesystem::exists(next.name()));
}

TEST(UnfinishedFile, AFailedMoveLeavesNoEmptyFile) {
  const TemporaryDirectory directory;
  UnfinishedFile file(directory / "run.json", Kind::kNamed);
  ASSERT_TRUE(file.is_open());
  std::filesystem::remove(file.name());
  EXPECT_EQ(file.name_it(directory / "run.json"), ENOENT);
  EXPECT_FALSE(std::filesystem::exists(directory / "run.json"));
}

}  // namespace
}  // namespace perseid
