"""Who exports when processes end in unusual orders, and what is said when nothing was recorded."""

import os
import signal
import subprocess
import time

from cli_case import PERSEID, TRACED, CliCase, children_of, main


class Lifetimes(CliCase):
    def wait_for_timelines(self, count):
        end = time.monotonic() + 20
        while len(self.timelines()) < count or self.captures():
            self.assertLess(time.monotonic(), end, (self.timelines(), self.captures()))
            time.sleep(0.02)

    def test_a_child_that_outlives_the_run_writes_its_own_timeline(self):
        process = subprocess.run(
            [PERSEID, "run", "--", TRACED, "leave-child", "2"], cwd=self.here, env=self.environment,
            text=True, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, timeout=60)
        self.assertEqual(process.returncode, 0)
        self.assertIn("still being recorded", process.stderr)
        self.wait_for_timelines(2)
        for timeline in self.timelines():
            self.assertEqual(self.steps(timeline), 100)

    def test_the_program_exports_by_itself_when_we_are_killed(self):
        process = self.start("run", "--", TRACED, "signals")
        self.assertEqual(process.stdout.readline(), "ready\n")
        (child,) = children_of(process.pid)
        process.kill()
        process.wait()
        os.kill(child, signal.SIGTERM)
        self.wait_for_timelines(1)

    def test_a_program_that_its_launcher_killed_has_its_timeline(self):
        for number in range(5):
            self.perseid("run", "-o", f"t{number}.json", "--", "timeout", "-s", "KILL", "0.3", TRACED, "signals")
            self.assertEqual(self.steps(self.here / f"t{number}.json"), 100)
        self.assertEqual(self.captures(), [])

    def test_what_outlives_a_failure_is_waited_for(self):
        result = self.perseid("run", "--", "sh", "-c", f"{TRACED} leave-child 1; exit 3")
        self.assertEqual(result.returncode, 3)
        self.assertIn("waiting up to 10 s", result.stderr)
        self.assertEqual(len(self.timelines()), 2, result.stderr)
        self.assertEqual(self.captures(), [])

    def test_each_process_below_us_gets_a_timeline(self):
        result = self.perseid(
            "run", "--", "sh", "-c", f"{TRACED} & {TRACED} kill 9; wait; {TRACED}; exit 5")
        self.assertEqual(result.returncode, 5)
        self.assertEqual(len(self.timelines()), 3)
        self.assertEqual(sum(self.steps(t) for t in self.timelines()), 300)
        self.assertEqual(self.captures(), [])

    def test_a_running_program_can_be_looked_at(self):
        process = self.start("run", "-o", "t.json", "--", TRACED, "signals")
        self.assertEqual(process.stdout.readline(), "ready\n")
        result = self.perseid("export", "t.capture", "-o", "early.json")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("snapshot", result.stderr)
        self.assertEqual(self.steps(self.here / "early.json"), 100)
        process.terminate()
        self.assertEqual(process.wait(20), 3)
        self.assertEqual(self.steps(self.here / "t.json"), 100)

    def test_nothing_recorded_is_reported_with_the_reason(self):
        result = self.perseid("run", "--", TRACED, "idle", "4")
        self.assertEqual(result.returncode, 4)
        self.assertIn("nothing was recorded", result.stderr)
        self.assertIn("perseid.h", result.stderr)
        result = self.perseid("run", "--", os.environ["PERSEID_STATIC"])
        self.assertEqual(result.returncode, 0)
        self.assertIn("linked statically", result.stderr)
        self.assertEqual(list(self.here.iterdir()), [])

    def test_no_registry_is_left_in_tmp(self):
        temporary = self.here / "tmp"
        temporary.mkdir()
        self.environment["TMPDIR"] = str(temporary)
        self.perseid("run", "--", TRACED, "kill", "9")
        self.perseid("run", "--", "no-such-program")
        self.assertEqual(list(temporary.iterdir()), [])

    def test_a_library_that_cannot_be_preloaded_is_reported(self):
        self.environment["PERSEID_LIBRARY"] = "/no/such/libperseid.so"
        result = self.perseid("run", "--", "true")
        self.assertEqual(result.returncode, 2)
        self.assertIn("PERSEID_LIBRARY", result.stderr)
        blank = self.here / "a blank"
        blank.mkdir()
        (blank / "libperseid.so").write_text("")
        self.environment["PERSEID_LIBRARY"] = str(blank / "libperseid.so")
        result = self.perseid("run", "--", "true")
        self.assertEqual(result.returncode, 2)
        self.assertIn("blank", result.stderr)


main()
