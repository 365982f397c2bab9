"""Captures are removed only when nobody records them and their timeline is whole."""

import os
import shutil
import signal
import subprocess
import time

from cli_case import PERSEID, TRACED, CliCase, end_with_children, library, main, namespace


class Removal(CliCase):
    def start_recording(self, *before):
        """A program that has recorded 300 steps and waits for the end of its input."""
        process = subprocess.Popen(
            [*before, TRACED, "input", "3"], cwd=self.here, text=True,
            env={**self.environment, "PERSEID": "live.json,ring=64K", "LD_PRELOAD": library()},
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.addCleanup(end_with_children, process)
        self.assertEqual(process.stdout.readline(), "ready\n")
        return process

    def end(self, process):
        process.stdin.close()
        process.stdin = None
        self.assertEqual(process.wait(30), 0)
        return process.stderr.read()

    def test_merge_leaves_what_is_being_recorded(self):
        process = self.start_recording()
        result = self.perseid("merge", "--remove", "-o", "m.json", "live.capture")
        self.assertEqual(result.returncode, 1)
        self.assertIn("still being recorded", result.stderr)
        self.assertIn("0 lost", self.end(process))
        self.assertEqual(self.steps(self.here / "live.json"), 300)

    def test_from_another_container_a_live_capture_is_not_removed(self):
        process = self.start_recording()
        result = subprocess.run(
            [*namespace(), PERSEID, "export", "--remove", "-o", "m.json", "live.capture"],
            cwd=self.here, env=self.environment, text=True, capture_output=True, timeout=60)
        self.assertEqual(result.returncode, 1, result.stderr)
        self.assertIn("was not removed", result.stderr)
        self.assertIn("0 lost", self.end(process))
        self.assertEqual(self.steps(self.here / "live.json"), 300)

    def test_a_live_capture_in_another_container_is_not_removed(self):
        process = self.start_recording(*namespace())
        result = self.perseid("export", "--remove", "-o", "m.json", "live.capture")
        self.assertEqual(result.returncode, 1, result.stderr)
        self.assertIn("was not removed", result.stderr)
        self.assertIn("0 lost", self.end(process))
        self.assertEqual(self.steps(self.here / "live.json"), 300)

    def test_a_program_in_a_container_that_outlives_the_run_keeps_its_capture(self):
        os.mkfifo(self.here / "end")
        os.mkfifo(self.here / "ready")
        writer = os.open(self.here / "end", os.O_RDWR)
        container = " ".join(namespace())
        result = self.perseid(
            "run", "-o", "r.json", "--", "sh", "-c",
            # Not the first process there: of that number there is one everywhere.
            f"setsid {container} sh -c '{TRACED} input 3; true' <end >ready 2>/dev/null & "
            "read line <ready")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("r.capture is still being recorded", result.stderr)
        self.assertEqual(self.timelines(), [])
        self.assertTrue((self.here / "r.capture" / "state").exists())
        os.close(writer)
        end = time.monotonic() + 20
        while not self.timelines() or self.captures():
            self.assertLess(time.monotonic(), end)
            time.sleep(0.02)
        self.assertEqual(self.steps(self.the_timeline()), 300)

    def test_the_capture_of_a_killed_program_is_removed(self):
        process = self.start_recording()
        process.kill()
        process.wait(20)
        result = self.perseid("export", "--remove", "live.capture")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(self.captures(), [])
        self.assertEqual(self.steps(self.here / "live.json"), 300)

    def test_what_a_killed_removal_left_is_named_and_taken_away(self):
        self.assertEqual(self.perseid("run", "-q", "-k", "-o", "t.json", "--", TRACED).returncode, 0)
        rest = self.here / ".t.capture.removing"
        shutil.copytree(self.here / "t.capture", rest)
        (rest / "state").unlink()
        result = self.perseid("check", str(rest))
        self.assertEqual(result.returncode, 1)
        self.assertIn("partly removed", result.stderr)
        result = self.perseid("merge", "-o", "all.json", ".")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("1 rank", result.stderr)
        self.assertEqual(self.perseid("run", "-q", "-o", "u.json", "--", TRACED).returncode, 0)
        self.assertFalse(rest.exists())

    def test_what_killed_runs_left_is_taken_away_by_the_next(self):
        temporary = self.here / "tmp"
        temporary.mkdir()
        self.environment["TMPDIR"] = str(temporary)
        process = self.start("run", "-o", "t.json", "--", TRACED, "signals")
        self.assertEqual(process.stdout.readline(), "ready\n")
        alive = self.start("run", "-o", "u.json", "--", TRACED, "signals")
        self.assertEqual(alive.stdout.readline(), "ready\n")
        self.assertEqual(len(list(temporary.iterdir())), 2)
        end_with_children(process)
        self.assertEqual(len(list(temporary.iterdir())), 2)
        self.perseid("run", "-q", "-o", "v.json", "--", TRACED)
        self.assertEqual(len(list(temporary.iterdir())), 1, "that of the run that lives")
        alive.send_signal(signal.SIGTERM)
        self.assertEqual(alive.wait(20), 3)
        self.assertEqual(list(temporary.iterdir()), [])
        self.assertEqual(self.steps(self.here / "u.json"), 100)


main()
