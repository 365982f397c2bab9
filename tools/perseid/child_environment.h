// tools/perseid/child_environment.h: the variables by which the library comes to life.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace perseid {

/// Puts the library before what is in LD_PRELOAD already.
std::string preload_value(const char* existing, std::string_view library);

/// A variable of settings: what was there stays, "on" and `items` are appended and so win.
/// Each item is "key=value" without escapes.
std::string settings_value(const char* existing, const std::vector<std::string>& items);

}  // namespace perseid
