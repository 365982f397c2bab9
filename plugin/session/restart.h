// plugin/session/restart.h: starts the program of this process again, from its first instruction.
#pragma once

namespace perseid {

/// For the time before the program has run: same process, arguments, directory and descriptors
/// (those that an exec closes were closed by the one that started it), and the environment as it
/// is now. Returns only if that failed, with the error number.
int start_program_again() noexcept;

/// The program's name for messages: the file that was started, without directories. A script has
/// its own name here, not its interpreter's.
const char* program_name() noexcept;

}  // namespace perseid
