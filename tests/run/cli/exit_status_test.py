"""The program's end is the end of `perseid run`."""

import signal

from cli_case import TRACED, CliCase, main


class ExitStatus(CliCase):
    def test_the_status_passes_through(self):
        for status in (0, 1, 7, 255):
            result = self.perseid("run", "--", TRACED, "exit", str(status))
            self.assertEqual(result.returncode, status)
        self.assertEqual(len(self.timelines()), 4)

    def test_a_signal_passes_through_after_the_timeline_is_made(self):
        for number in (signal.SIGKILL, signal.SIGSEGV, signal.SIGTERM, signal.SIGABRT):
            with self.subTest(number):
                for old in self.timelines():
                    old.unlink()
                result = self.perseid("run", "--", TRACED, "kill", str(int(number)))
                self.assertEqual(result.returncode, -number)
                self.assertEqual(self.steps(self.the_timeline()), 100)
                self.assertEqual(self.captures(), [], result.stderr)

    def test_no_core_of_our_own_is_left(self):
        self.perseid("run", "--", TRACED, "kill", str(int(signal.SIGKILL)))
        self.assertEqual([p.name for p in self.here.iterdir() if "core" in p.name], [])

    def test_a_program_that_is_not_there_is_127(self):
        result = self.perseid("run", "--", "no-such-program")
        self.assertEqual(result.returncode, 127)
        self.assertEqual(
            result.stderr, 'perseid: cannot run "no-such-program": No such file or directory\n')

    def test_a_file_that_cannot_run_is_126(self):
        (self.here / "data").write_text("not a program")
        result = self.perseid("run", "--", "./data")
        self.assertEqual(result.returncode, 126)
        self.assertIn("Permission denied", result.stderr)

    def test_a_wrong_setting_stops_before_the_program(self):
        result = self.perseid("run", "--set", "rign=4M", "--", "touch", "ran")
        self.assertEqual(result.returncode, 2)
        self.assertEqual(
            result.stderr, 'perseid: --set: unknown setting "rign"; did you mean "ring"?\n')
        self.assertFalse((self.here / "ran").exists())


main()
