// tests/unit/tools/perseid/child_environment_test.cpp: our values join the user's without losing
// any.
#include "tools/perseid/child_environment.h"

#include <gtest/gtest.h>

#include <cstring>

#include "plugin/settings/settings.h"

namespace perseid {
namespace {

Settings read(const std::string& value) {
  Settings settings;
  read_settings(nullptr, value.c_str(), nullptr, settings, nullptr, nullptr);
  return settings;
}

TEST(ChildEnvironment, TheLibraryComesFirstAndOnce) {
  EXPECT_EQ(preload_value(nullptr, "/l.so"), "/l.so");
  EXPECT_EQ(preload_value("", "/l.so"), "/l.so");
  EXPECT_EQ(preload_value("/a.so /b.so:/l.so::/c.so", "/l.so"), "/l.so:/a.so:/b.so:/c.so");
}

TEST(ChildEnvironment, SettingsOfTheUserStayAndOursWin) {
  const Settings settings = read(settings_value("keep=1,ring=2M", {"ring=4M"}));
  EXPECT_TRUE(settings.is_on);
  EXPECT_TRUE(settings.keep);
  EXPECT_EQ(settings.ring_bytes, 4u << 20);
}

TEST(ChildEnvironment, OffBecomesOn) {
  for (const char* existing : {"off", "0", "", "off,keep=1"}) {
    EXPECT_TRUE(read(settings_value(existing, {})).is_on) << existing;
  }
  EXPECT_TRUE(read(settings_value(nullptr, {})).is_on);
}

TEST(ChildEnvironment, AnyFileNameSurvives) {
  for (const char* name : {"a,b", "back\\slash", "end\\", "\\,", "x y", "off", "keep=1"}) {
    const Settings settings = read(settings_value(nullptr, {std::string("out=") + name, "keep=1"}));
    EXPECT_STREQ(settings.out, name);
    EXPECT_TRUE(settings.keep);
  }
}

}  // namespace
}  // namespace perseid
