"""CPU times of threads, and the environment, are in the capture, however the program ends."""

import signal
import subprocess
import time

from openmp_case import LIBRARY, PROGRAMS, OpenmpCase, main


class CpuTimes(OpenmpCase):
    def start(self, **variables):
        environment = {**self.environment, "OMP_TOOL_LIBRARIES": str(LIBRARY), **variables}
        return subprocess.Popen(
            [PROGRAMS / "spins", "60"], cwd=self.here, env=environment,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def rows(self, capture):
        found = {}
        for line in self.perseid("dump", "--rows", capture).stdout.splitlines():
            if line.startswith("cpu_time "):
                words = dict(word.split("=") for word in line.split()[1:])
                found.setdefault(words["thread"], []).append((int(words["at"]), int(words["cpu_ns"])))
        return found

    def test_samples_survive_kill_9(self):
        program = self.start(PERSEID="export=0,quiet=1,ring=64K", OMP_NUM_THREADS="2",
                             KMP_BLOCKTIME="7\x1b", MY_SECRET="hidden")
        time.sleep(1.5)
        program.send_signal(signal.SIGKILL)
        program.wait()
        (capture,) = self.here.glob("*.capture")
        self.addCleanup(self.remove_capture, capture)
        rows = self.rows(capture)
        self.assertEqual(len(rows), 2, rows)
        for samples in rows.values():
            self.assertGreaterEqual(len(samples), 5)
            self.assertEqual(samples, sorted(samples))
            for (before, used_before), (after, used_after) in zip(samples, samples[1:]):
                # A sample is a little older than its record.
                self.assertLessEqual(used_after - used_before, after - before + 5_000_000)
        manifest = (capture / "manifest").read_text()
        self.assertIn("\nenv_OMP_NUM_THREADS 2\n", manifest)
        self.assertIn("\nenv_KMP_BLOCKTIME 7\\\\x1b\n", manifest)
        self.assertRegex(manifest, r"\nprocessors \d+\n")
        self.assertNotIn("hidden", manifest)

    def test_facts_of_the_run_name_the_runtime_and_its_settings(self):
        timeline = self.trace("stress", "tiny", "10", OMP_NUM_THREADS="2")
        text = timeline.path.read_text()
        self.assertIn('"env_OMP_NUM_THREADS"', text)
        self.assertRegex(text, r'"openmp":\s*"[^"]*LLVM')
        self.assertEqual(len(timeline.threads()), 2)


if __name__ == "__main__":
    main()
