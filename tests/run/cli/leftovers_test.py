"""What processes leave that end without a word, or never began, and how it goes away."""

import os
import pathlib
import shutil
import signal
import subprocess
import time

from cli_case import TRACED, CliCase, children_of, library, main


class Leftovers(CliCase):
    def trace(self, *words, settings="t-%p.json,ring=64K"):
        """Without `perseid run`."""
        return subprocess.run(
            [TRACED, *words], cwd=self.here, text=True, capture_output=True, timeout=60,
            env={**self.environment, "PERSEID": settings, "LD_PRELOAD": library()})

    def rings_of(self, capture):
        facts = dict(line.split(" ", 1) for line in (capture / "manifest").read_text().splitlines())
        return pathlib.Path(facts["rings"])

    def killed_capture(self):
        self.assertEqual(self.trace("kill", str(signal.SIGKILL)).returncode, -signal.SIGKILL)
        return self.captures()[0]

    def test_workers_that_record_nothing_leave_nothing(self):
        self.assertEqual(self.trace("workers", "0").returncode, 0)
        self.assertEqual(self.captures(), [])
        self.assertEqual(self.steps(self.the_timeline()), 100)

    def test_one_command_takes_what_workers_left(self):
        self.assertEqual(self.trace("workers", "2").returncode, 0)
        captures = self.captures()
        self.assertEqual(len(captures), 3)
        rings = [self.rings_of(capture) for capture in captures]
        result = self.perseid("merge", "--remove", "-o", "workers.json", ".")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("0 lost", result.stderr)
        self.assertEqual(self.captures(), [])
        self.assertEqual([path for path in rings if path.exists()], [])
        self.assertEqual(self.steps(self.here / "workers.json"), 600)

    def test_rings_that_were_being_made_are_removed_too(self):
        capture = self.killed_capture()
        rings = self.rings_of(capture)
        (rings / "97.ring").write_bytes(b"")
        (rings / "98.ring").write_bytes(bytes(4096 + 65536))
        result = self.perseid("export", "--remove", str(capture))
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertFalse(rings.exists())
        self.assertEqual(self.captures(), [])

    def make_unmade(self, name, *, age, manifest=None):
        capture = self.here / name
        capture.mkdir()
        if manifest is not None:
            (capture / "manifest").write_text(manifest)
        os.utime(capture, (time.time() - age, time.time() - age))
        return capture

    def test_a_directory_that_never_became_a_capture_is_an_empty_one(self):
        for manifest in (None, ""):
            capture = self.make_unmade("empty.capture", age=3600, manifest=manifest)
            result = self.perseid("check", str(capture))
            self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
            result = self.perseid("export", "--remove", str(capture))
            self.assertEqual(result.returncode, 0, result.stderr)
            self.assertFalse(capture.exists())

    def test_one_that_may_be_on_its_way_stays(self):
        capture = self.make_unmade("young.capture", age=0)
        self.assertEqual(self.perseid("export", "--remove", str(capture)).returncode, 1)
        self.assertTrue(capture.exists())

    def test_an_empty_directory_of_another_name_is_no_capture(self):
        other = self.make_unmade("empty", age=3600)
        self.assertEqual(self.perseid("export", "--remove", str(other)).returncode, 2)
        self.assertTrue(other.exists())

    def test_it_does_not_keep_the_captures_beside_it(self):
        self.killed_capture()
        self.make_unmade("empty.capture", age=3600)
        result = self.perseid("merge", "--remove", "-o", "m.json", ".")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(self.captures(), [])
        self.assertEqual(self.steps(self.here / "m.json"), 100)

    def test_one_with_its_manifest_only_goes_when_its_process_is_gone(self):
        capture = self.killed_capture()
        for ring in self.rings_of(capture).glob("*.ring"):
            ring.unlink()
        self.rings_of(capture).rmdir()
        for path in capture.iterdir():
            if path.name != "manifest":
                path.unlink()
        self.assertEqual(self.perseid("check", str(capture)).returncode, 0)
        result = self.perseid("export", "--remove", str(capture))
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertFalse(capture.exists())


class TakenAway(CliCase):
    """A capture that somebody deletes or renames while `perseid run` waits for the program."""

    def start_program(self, *words):
        run = self.start("run", "-o", "t.json", "--set", "ring=64K", "--", TRACED, *words)
        self.assertEqual(run.stdout.readline(), "ready\n")
        return run

    def end(self, run, sent):
        os.kill(children_of(run.pid)[0], sent)
        _, errors = run.communicate(timeout=60)
        return run.returncode, errors

    def test_deleted(self):
        run = self.start_program("signals")
        shutil.rmtree(self.here / "t.capture")
        status, errors = self.end(run, signal.SIGTERM)
        self.assertEqual(status, 3, errors)
        self.assertEqual(errors.count("was removed or renamed during the run"), 1, errors)
        self.assertNotIn("nothing was recorded", errors)

    def test_renamed_and_still_whole(self):
        run = self.start_program("signals")
        (self.here / "t.capture").rename(self.here / "moved.capture")
        status, errors = self.end(run, signal.SIGTERM)
        self.assertEqual(status, 3, errors)
        self.assertEqual(errors.count("was removed or renamed during the run"), 1, errors)
        result = self.perseid("export", "--remove", "-o", "m.json", "moved.capture")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(self.steps(self.here / "m.json"), 100)

    def test_deleted_under_a_program_that_is_killed(self):
        run = self.start_program("signals")
        shutil.rmtree(self.here / "t.capture")
        status, errors = self.end(run, signal.SIGKILL)
        self.assertEqual(status, -signal.SIGKILL, errors)
        self.assertEqual(errors.count("was removed or renamed during the run"), 1, errors)


if __name__ == "__main__":
    main()
