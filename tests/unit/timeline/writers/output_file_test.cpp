// tests/unit/timeline/writers/output_file_test.cpp: files appear whole, or not at all.
#include "timeline/writers/output_file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>

#include "tests/stream/fabricate.h"
#include "timeline/writers/writer.h"

namespace perseid {
namespace {

using test::read_file;
using test::TemporaryDirectory;
using test::write_file;

size_t files_in(const TemporaryDirectory& directory) {
  size_t count = 0;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(directory.path())) {
    ++count;
  }
  return count;
}

std::string written(const std::string& path, const std::string& text) {
  Result<OutputFile> file = OutputFile::create(path);
  EXPECT_TRUE(file) << file.error();
  file->write(text.data(), text.size());
  const Result<std::string> name = file->commit();
  EXPECT_TRUE(name) << name.error();
  return *name;
}

TEST(OutputFile, NeverReplacesWhatIsThere) {
  const TemporaryDirectory directory;
  write_file(directory / "run.json", "precious");
  EXPECT_EQ(written(directory / "run.json", "new"), directory / "run.1.json");
  EXPECT_EQ(written(directory / "run.json", "newer"), directory / "run.2.json");
  EXPECT_EQ(read_file(directory / "run.json"), "precious");
  EXPECT_EQ(read_file(directory / "run.1.json"), "new");
  EXPECT_EQ(files_in(directory), 3u);
}

TEST(OutputFile, LeavesNothingBehindUnlessCommitted) {
  const TemporaryDirectory directory;
  {
    Result<OutputFile> file = OutputFile::create(directory / "run.json");
    ASSERT_TRUE(file);
    file->write("half", 4);
    EXPECT_FALSE(std::filesystem::exists(directory / "run.json"));
  }
  EXPECT_EQ(files_in(directory), 0u);
}

TEST(OutputFile, SaysWhyAndWhatToDo) {
  const TemporaryDirectory directory;
  const Result<OutputFile> nowhere = OutputFile::create(directory / "no/run.json");
  ASSERT_FALSE(nowhere);
  EXPECT_EQ(nowhere.error(), "cannot write " + (directory / "no/run.json") +
                                 ": No such file or directory; make its directory first or choose "
                                 "another place with -o");
  const Result<OutputFile> itself = OutputFile::create(directory.path());
  ASSERT_FALSE(itself);
  EXPECT_EQ(itself.error(),
            "cannot write " + directory.path() + ": it is a directory; name a file in it");
}

TEST(OutputFile, WritesToDevicesAsTheyAre) { EXPECT_EQ(written("/dev/null", "gone"), "/dev/null"); }

TEST(OutputFile, PassesByWhatIsSpecialIfTheUserDidNotNameIt) {
  const TemporaryDirectory directory;
  const std::string path = directory / "run.json";
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  Result<OutputFile> file = OutputFile::create(path, OutputFile::Special::kPassBy);
  ASSERT_TRUE(file) << file.error();
  const Result<std::string> name = file->commit();
  ASSERT_TRUE(name) << name.error();
  EXPECT_EQ(*name, directory / "run.1.json");
}

TEST(OutputFile, ReportsAFullDisk) {
  Result<OutputFile> file = OutputFile::create("/dev/full");
  ASSERT_TRUE(file);
  file->write("x", 1);
  const Result<std::string> name = file->commit();
  ASSERT_FALSE(name);
  EXPECT_EQ(name.error(),
            "cannot write /dev/full: No space left on device; make room or choose another place "
            "with -o");
}

TEST(ChooseWriter, GoesByTheSuffix) {
  EXPECT_EQ(choose_writer("a/b.json")->path, "a/b.json");
  EXPECT_EQ(choose_writer("a.b/c")->path, "a.b/c.json");
  EXPECT_EQ(choose_writer("/dev/null")->path, "/dev/null");
  EXPECT_EQ(choose_writer("run.otf2").error(),
            "cannot write run.otf2: no format is called \".otf2\"; known are .json, "
            ".json.gz, .pftrace, .pftrace.gz");
  EXPECT_EQ(choose_writer("run.v2.pftrace.gz")->path, "run.v2.pftrace.gz");
  EXPECT_TRUE(choose_writer("run.v2.pftrace.gz")->entry->is_compressed);
  EXPECT_STREQ(choose_writer("run.pftrace")->entry->suffix, ".pftrace");
  EXPECT_EQ(choose_writer("dir/").error(), "cannot write \"dir/\": it names no file");
}

TEST(ChooseWriter, FormatsPutTheirSuffixInThePlaceOfTheOldOne) {
  const auto paths = [](const char* path, const char* formats) {
    std::vector<std::string> names;
    const auto chosen = choose_writers(path, formats);
    EXPECT_TRUE(chosen) << chosen.error();
    for (const ChosenWriter& writer : *chosen) names.push_back(writer.path);
    return names;
  };
  using Paths = std::vector<std::string>;
  EXPECT_EQ(paths("a/run.json", "pftrace"), Paths{"a/run.pftrace"});
  EXPECT_EQ(paths("run.json.gz", "json+pftrace.gz"), (Paths{"run.json", "run.pftrace.gz"}));
  EXPECT_EQ(paths("run.1", "json"), Paths{"run.1.json"});
  EXPECT_EQ(paths("/dev/null", "pftrace"), Paths{"/dev/null"});
  EXPECT_EQ(choose_writers("run", "json+otf2").error(),
            "no format is called \"otf2\"; known are .json, .json.gz, .pftrace, .pftrace.gz");
}

}  // namespace
}  // namespace perseid
