// Every call of perseid.h from C++. Built as C++17 and C++20; see CMakeLists.txt.
#include <string>
#include <string_view>
#include <thread>
#include <utility>

#include "include/perseid.h"

namespace {
enum class Colour { kRed = 3 };
}

int main() {
  const std::string text = "string";
  perseid::Range outer("cpp range", {{"int", 1},
                                     {"long", -2L},
                                     {"size", sizeof text},
                                     {"bool", true},
                                     {"float", 1.5f},
                                     {"enum", Colour::kRed},
                                     {"literal", "text"},
                                     {"string", text},
                                     {"view", std::string_view(text)},
                                     {"pointer", &text}});
  {
    const perseid::Range inner("cpp inner");
    perseid::instant("cpp instant", {{"null", static_cast<const char*>(nullptr)}});
  }
  perseid::LaneRange request(perseid_lane_named("requests"), "cpp request");
  std::thread([moved = std::move(request)]() mutable { moved.end({{"code", 200}}); }).join();
  outer.end({{"late", 1}});
  return perseid_is_here() ? 0 : 1;
}
