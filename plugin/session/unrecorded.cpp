// plugin/session/unrecorded.cpp: to the registry of `perseid run` if there is one, otherwise to
// stderr.
#include "plugin/session/unrecorded.h"

#include <unistd.h>

#include "plugin/session/message.h"
#include "plugin/session/restart.h"
#include "plugin/session/session.h"
#include "plugin/settings/fixed_text.h"
#include "plugin/settings/run_registry.h"

namespace perseid {

namespace {

constinit pid_t g_loaded_in = 0;

[[gnu::constructor]] void remember_process() noexcept { g_loaded_in = getpid(); }

}  // namespace

ProgramName::ProgramName() noexcept {
  TextBuffer to(text);
  for (const char* from = program_name(); *from; ++from) {
    const auto letter = static_cast<unsigned char>(*from);
    to.add(letter < 0x20 || letter == 0x7f ? '?' : *from);
  }
}

void report_unrecorded(Unrecorded kind, const char* sentence) noexcept {
  if (is_quiet()) return;
  if (g_origin.run_registry[0] &&
      run_registry::report_unrecorded(g_origin.run_registry, kind, sentence))
    return;
  if (kind != Unrecorded::kUsed || getpid() != g_loaded_in) return;
  Line line;
  line << "not recorded: " << sentence;
  print_message(line.c_str());
}

}  // namespace perseid
