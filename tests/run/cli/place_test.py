"""Nothing that somebody else wrote decides where a timeline goes."""

import os

from cli_case import TRACED, CliCase, main


class Place(CliCase):
    def moved_capture(self):
        """A capture whose manifest names another directory than the one it lies in."""
        (self.here / "victim").mkdir()
        (self.here / "mail").mkdir()
        result = self.perseid("run", "-q", "-k", "-o", "victim/t.json", "--", TRACED)
        self.assertEqual(result.returncode, 0, result.stderr)
        (self.here / "victim" / "t.capture").rename(self.here / "mail" / "x.capture")
        return [path.name for path in (self.here / "victim").iterdir()]

    def test_a_manifest_does_not(self):
        before = self.moved_capture()
        result = self.perseid("export", "mail/x.capture")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("mail/t.json", result.stderr)
        self.assertEqual(self.steps(self.here / "mail" / "t.json"), 100)
        self.assertEqual([path.name for path in (self.here / "victim").iterdir()], before)

    def test_pipes_are_written_only_if_named(self):
        self.moved_capture()
        os.mkfifo(self.here / "mail" / "t.json")
        result = self.perseid("export", "mail/x.capture")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(self.steps(self.here / "mail" / "t.1.json"), 100)
        os.mkfifo(self.here / "t.json")
        result = self.perseid("merge", "mail/x.capture")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(self.perseid("export", "mail/x.capture", "-o", "/dev/null").returncode, 0)

    def test_a_run_still_writes_where_it_was_asked_to(self):
        (self.here / "far").mkdir()
        self.perseid("run", "-q", "-o", "far/t.json", "-s", "dir=near", "--", TRACED, "kill", "9")
        self.assertEqual(self.steps(self.here / "far" / "t.json"), 100)
        self.assertEqual(self.captures(), [])

    def test_a_place_that_cannot_be_written_is_the_reason_that_is_printed(self):
        result = self.perseid("run", "-o", "/proc/none/t.json", "--", TRACED)
        self.assertEqual(result.returncode, 0)
        self.assertIn("/proc/none", result.stderr)
        self.assertNotIn("perseid.h", result.stderr)
        self.assertEqual(result.stderr.count("perseid:"), 1, result.stderr)


main()
