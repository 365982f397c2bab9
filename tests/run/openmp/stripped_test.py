"""Programs whose names were stripped: found again by .gnu_debuglink, or reported once."""

import shutil
import subprocess

from openmp_case import LIBRARY, PERSEID, PROGRAMS, OpenmpCase, main

NOTICE = "stress has no symbols: install its debug symbols"
NAMED = r"^\w+ \(stress\.cpp:\d+\)$"
UNNAMED = r"^stress\+0x[0-9a-f]+$"


class Stripped(OpenmpCase):
    def setUp(self):
        super().setUp()
        self.program = self.here / "stress"
        self.debug_file = self.here / "stress.debug"
        shutil.copy(PROGRAMS / "stress", self.program)
        for command in (["objcopy", "--only-keep-debug", self.program, self.debug_file],
                        ["strip", self.program],
                        ["objcopy", f"--add-gnu-debuglink={self.debug_file}", self.program]):
            subprocess.run(command, check=True)

    def tasks(self):
        run = self.run_program(self.program, "tiny", "10", OMP_TOOL_LIBRARIES=LIBRARY)
        self.assertEqual(run.returncode, 0, run.stderr)
        self.stderr = run.stderr
        timeline = self.the_timeline()
        return timeline.count("openmp.task", NAMED), timeline.count("openmp.task", UNNAMED)

    def test_the_file_beside_it_gives_functions_and_lines(self):
        self.assertEqual(self.tasks(), (10, 0))
        self.assertNotIn("no symbols", self.stderr)

    def test_so_does_one_in_the_directory_for_it(self):
        (self.here / ".debug").mkdir()
        self.debug_file.rename(self.here / ".debug" / "stress.debug")
        self.assertEqual(self.tasks(), (10, 0))

    def test_a_debug_file_of_another_build_is_not_believed(self):
        with open(self.debug_file, "ab") as file:
            file.write(b"\0")
        self.assertEqual(self.tasks(), (0, 10))
        self.assertEqual(self.stderr.count(NOTICE), 1, self.stderr)

    def test_without_it_one_line_names_the_program_and_the_remedy(self):
        self.debug_file.unlink()
        self.assertEqual(self.tasks(), (0, 10))
        self.assertEqual(self.stderr.count(NOTICE), 1, self.stderr)
        self.assertEqual(self.stderr.count(" events, "), 1, self.stderr)

    def test_an_export_after_the_debug_file_came_has_the_names(self):
        kept = self.debug_file.rename(self.here / "kept")
        self.run_program(PERSEID, "run", "-k", "-o", "a.json", "--", self.program, "tiny", "10")
        kept.rename(self.debug_file)
        again = self.perseid("export", "-o", "b.json", "a.capture")
        self.assertNotIn("no symbols", again.stderr)
        self.assertIn("stress.cpp:", (self.here / "b.json").read_text())
        self.remove_capture(self.here / "a.capture")


if __name__ == "__main__":
    main()
