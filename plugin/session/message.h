// plugin/session/message.h: messages to the user from inside the host.
#pragma once

namespace perseid {

/// At load: remembers which file standard error is. A program may close it and get the number 2 for
/// a file of its own, which no message may reach: from then on messages only go to a log.
void remember_stderr() noexcept;

/// Where messages go: a file, or stderr when the path is empty or cannot be opened. With
/// `quiet`, only warnings are printed.
void direct_messages(const char* log_path, bool is_quiet) noexcept;

bool is_quiet() noexcept;

/// One line "perseid: SENTENCE". Async-signal-safe, one write, errno kept.
void print_message(const char* sentence) noexcept;
void warn(const char* sentence) noexcept;
/// Whole lines as they are, in one write: nothing in them may be obeyed by a terminal.
void print_lines(const char* lines) noexcept;

}  // namespace perseid
