// tests/unit/capture/manifest_test.cpp: lines of a manifest, sound and damaged.
#include "capture/manifest.h"

#include <gtest/gtest.h>

namespace perseid {
namespace {

TEST(Manifest, ReadsBackWhatWasWrittenWithUnknownKeysAndOddValues) {
  const std::vector<std::pair<std::string, std::string>> entries = {{"session", "00c0ffee00c0ffee"},
                                                                    {"command", "a \\ b\nc"},
                                                                    {"empty", ""},
                                                                    {"new_key", "x y z"}};
  const Manifest manifest = parse_manifest(format_manifest(entries));
  EXPECT_EQ(manifest.problem, "");
  EXPECT_EQ(manifest.version, 1u);
  EXPECT_EQ(manifest.entries, entries);
  EXPECT_EQ(manifest.get_number("session", 16), 0x00c0ffee00c0ffeeu);
  EXPECT_EQ(manifest.get("missing"), "");
  EXPECT_EQ(manifest.get_number("command"), 0u);
}

TEST(Manifest, NamesWhatIsWrong) {
  const std::string good = format_manifest({{"pid", "1"}});
  std::string changed = good;
  changed[changed.find("pid 1") + 4] = '2';
  EXPECT_EQ(parse_manifest(changed).problem, "its checksum does not match");
  EXPECT_EQ(parse_manifest(changed).get("pid"), "2");
  EXPECT_EQ(parse_manifest(good + "more").problem, "there is data after its checksum");
  EXPECT_EQ(parse_manifest(good.substr(0, 20)).problem, "it is cut short");
  EXPECT_EQ(parse_manifest("").problem, "its first line is not \"perseid-capture 1\"");
  EXPECT_EQ(parse_manifest("perseid-capture x\n").problem, "it names no format version");
}

}  // namespace
}  // namespace perseid
