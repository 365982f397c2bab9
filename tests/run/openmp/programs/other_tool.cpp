// tests/run/openmp/programs/other_tool.cpp: another tool that accepts what the runtime offers.
#include <unistd.h>

#include "ompt/record/api.h"

using namespace perseid::ompt;

namespace {

int initialize(Lookup, int, Data*) {
  constexpr char kText[] = "other tool\n";
  return write(STDERR_FILENO, kText, sizeof kText - 1) > 0 ? 1 : 0;
}
void finalize(Data*) {}
StartToolResult g_result{initialize, finalize, {0}};

}  // namespace

extern "C" StartToolResult* ompt_start_tool(unsigned, const char*) { return &g_result; }
