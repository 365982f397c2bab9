// tests/unit/timeline/symbols/debug_link_test.cpp: links to debug files, followed and refused.
#include "timeline/symbols/debug_link.h"

#include <elf.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <cstring>
#include <filesystem>
#include <fstream>

namespace perseid {
namespace {

constexpr char kContent[] = "123456789";
constexpr uint32_t kChecksum = 0xcbf43926;  // of these nine bytes

/// An ELF file with a table of names, and the link.
std::string elf_with_link(const std::string& link) {
  const std::string names("\0.gnu_debuglink\0.shstrtab\0", 26);
  Elf64_Ehdr header{};
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_CLASS] = ELFCLASS64;
  header.e_shentsize = sizeof(Elf64_Shdr);
  header.e_shnum = 3;
  header.e_shstrndx = 2;
  header.e_shoff = sizeof header;
  Elf64_Shdr sections[3]{};
  sections[1].sh_name = 1;
  sections[1].sh_type = SHT_PROGBITS;
  sections[1].sh_offset = sizeof header + sizeof sections;
  sections[1].sh_size = link.size();
  sections[2].sh_name = 16;
  sections[2].sh_type = SHT_STRTAB;
  sections[2].sh_offset = sections[1].sh_offset + link.size();
  sections[2].sh_size = names.size();
  std::string bytes(reinterpret_cast<const char*>(&header), sizeof header);
  bytes.append(reinterpret_cast<const char*>(sections), sizeof sections);
  return bytes + link + names;
}

std::string link_to(std::string name, uint32_t checksum = kChecksum) {
  do {
    name += '\0';
  } while (name.size() % 4 != 0);
  return name.append(reinterpret_cast<const char*>(&checksum), sizeof checksum);
}

class DebugLinkTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = std::filesystem::temp_directory_path() / "perseid-link-XXXXXX";
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    here_ = std::filesystem::canonical(name);
    put("bin/app", elf_with_link(link_to("app.debug")));
  }
  void TearDown() override { std::filesystem::remove_all(here_); }

  std::string put(const std::filesystem::path& name, const std::string& bytes) {
    std::filesystem::create_directories((here_ / name).parent_path());
    std::ofstream(here_ / name, std::ios::binary) << bytes;
    return here_ / name;
  }
  std::string find() { return find_debug_link(here_ / "bin/app", here_ / "root"); }

  std::filesystem::path here_;
};

TEST_F(DebugLinkTest, AllThreePlacesAreSearchedInOrder) {
  EXPECT_EQ(find(), "");
  const std::string far = put("root" / (here_ / "bin").relative_path() / "app.debug", kContent);
  EXPECT_EQ(find(), far);
  const std::string below = put("bin/.debug/app.debug", kContent);
  EXPECT_EQ(find(), below);
  const std::string beside = put("bin/app.debug", kContent);
  EXPECT_EQ(find(), beside);
}

TEST_F(DebugLinkTest, AFileWithAnotherChecksumIsPassedOver) {
  put("bin/app.debug", "another build");
  EXPECT_EQ(find(), "");
  const std::string below = put("bin/.debug/app.debug", kContent);
  EXPECT_EQ(find(), below);
}

TEST_F(DebugLinkTest, ALinkToTheProgramByAnotherNameIsSearchedBesideTheFile) {
  const std::string beside = put("bin/app.debug", kContent);
  std::filesystem::create_symlink(here_ / "bin/app", here_ / "app");
  EXPECT_EQ(find_debug_link(here_ / "app", here_ / "root"), beside);
}

TEST_F(DebugLinkTest, ANameNeverLeadsOutOfTheDirectories) {
  put("secret", kContent);
  put("bin/app", elf_with_link(link_to("../secret")));
  EXPECT_EQ(find(), "");
}

TEST_F(DebugLinkTest, ADirectoryIsNoDebugFile) {
  std::filesystem::create_directories(here_ / "bin/app.debug");
  EXPECT_EQ(find(), "");
}

TEST_F(DebugLinkTest, CutAndForeignFilesHaveNoLink) {
  put("bin/app.debug", kContent);
  const std::string whole = elf_with_link(link_to("app.debug"));
  const size_t end_of_name = whole.rfind("debuglink") + 9;  // what follows is not needed
  for (size_t length = 0; length < end_of_name; ++length) {
    put("bin/app", whole.substr(0, length));
    EXPECT_EQ(find(), "") << length;
  }
  put("bin/app", elf_with_link("app.debug"));  // without an end and a checksum
  EXPECT_EQ(find(), "");
  put("bin/app", elf_with_link(""));
  EXPECT_EQ(find(), "");
  EXPECT_EQ(find_debug_link(here_ / "nowhere", here_), "");
}

}  // namespace
}  // namespace perseid
