"""Timelines that ui.perfetto.dev will not open: one line, with a remedy that works."""

import os
import re
import subprocess

from cli_case import TRACED, CliCase, main

LIBRARY = os.environ["PERSEID_LIBRARY"]
NOTICE = r"t\.json is likely too large for ui\.perfetto\.dev .*`(perseid export -o \S+\.pftrace \S+)`"


class Large(CliCase):
    def setUp(self):
        super().setUp()
        self.environment["PERSEID_TEST_VIEWER_BYTES"] = "2000"

    def follow(self, stderr):
        """The command in the line must work."""
        notice = re.search(NOTICE, stderr)
        self.assertTrue(notice, stderr)
        self.assertEqual(stderr.count("too large"), 1)
        result = self.perseid(*notice[1].split()[1:])
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(len(list(self.here.glob("*.pftrace"))), 1)

    def test_perseid_run_keeps_the_capture_and_names_the_command(self):
        result = self.perseid("run", "-o", "t.json", "--", TRACED)
        self.assertEqual(result.returncode, 0)
        self.follow(result.stderr)

    def test_so_does_a_program_that_exports_by_itself(self):
        self.environment.update(LD_PRELOAD=LIBRARY, PERSEID="t.json")
        result = subprocess.run([TRACED], cwd=self.here, env=self.environment, text=True, capture_output=True,
                                timeout=60)
        del self.environment["LD_PRELOAD"]
        self.follow(result.stderr)

    def test_perseid_export_reports_it(self):
        self.environment["PERSEID"] = "export=0"
        self.perseid("run", "-o", "t.json", "--", TRACED)
        (capture,) = self.captures()
        result = self.perseid("export", str(capture))
        self.follow(result.stderr)
        result = self.perseid("export", "--remove", str(capture))
        self.assertRegex(result.stderr, r"too large .*max_bytes")
        self.assertEqual(self.captures(), [])

    def test_an_ordinary_timeline_is_not_mentioned(self):
        del self.environment["PERSEID_TEST_VIEWER_BYTES"]
        result = self.perseid("run", "-o", "t.json", "--", TRACED)
        self.assertNotIn("too large", result.stderr)
        self.assertEqual(self.captures(), [])


main()
