"""Jobs of a real Slurm: normal end, time limit, scancel, SIGKILL, array, requeue. Usable by hand:
python3 slurm_test.py with the environment that ctest gives it."""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time
import unittest

from mpi_case import LIBRARY, PERSEID, PROGRAMS
from slurm_cluster import CannotRun, Cluster

WORKS = next(iter(PROGRAMS.glob("*/works")))
ENDED = {"COMPLETED", "CANCELLED", "FAILED", "TIMEOUT"}


def wait_until(is_true, what, seconds=30):
    end = time.monotonic() + seconds
    while not is_true():
        if time.monotonic() > end:
            raise AssertionError("still waiting for " + what)
        time.sleep(0.1)


class Jobs(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.root = pathlib.Path(tempfile.mkdtemp(prefix="perseid-slurm-"))
        cls.addClassCleanup(shutil.rmtree, cls.root, ignore_errors=True)
        (cls.root / "slurm").mkdir()
        cls.cluster = Cluster(cls.root / "slurm")
        cls.addClassCleanup(cls.cluster.stop)
        cls.cluster.start()
        # It takes a minute and more: the others run meanwhile.
        cls.limited = cls.cluster.submit(
            cls.root / "limit", f"srun -n 2 {PERSEID} run -- {WORKS} 600\n", "--time=1")

    def submit(self, name, script, *options):
        self.here = self.root / name
        return self.cluster.submit(self.here, script, *options)

    def files(self, pattern="*.json"):
        return sorted(path.name for path in self.here.glob(pattern))

    def facts(self, name):
        return json.loads((self.here / name).read_text())["otherData"]

    def wait_for_records(self, pattern="*.capture", count=1):
        wait_until(lambda: len(self.files(pattern)) >= count, f"{count} captures")
        time.sleep(0.5)  # some steps of the program

    def test_normal_end(self):
        job = self.submit("normal", f"srun -n 2 {PERSEID} run -- {WORKS} 0.2\n")
        self.cluster.wait_for(job, {"COMPLETED"})
        self.assertEqual(self.files(), [f"perseid-works-{job}-0.json", f"perseid-works-{job}-1.json"])
        facts = self.facts(f"perseid-works-{job}-1.json")
        self.assertEqual((facts["rank"], facts["size"], facts["job"], facts["step"], facts["end"]),
                         ("1", "2", job, "0", "finished"))
        said = (self.here / f"slurm-{job}.out").read_text()
        self.assertEqual(said.count("perseid:"), 1, said)

    def test_variables_in_the_job_script_are_enough(self):
        job = self.submit("plain", "export STARPU_TRACE_PLUGIN=on\n"
                                   f"srun -n 2 --export=ALL,LD_PRELOAD={LIBRARY} {WORKS} 0.2\n")
        self.cluster.wait_for(job, {"COMPLETED"})
        self.assertEqual(self.files(), [f"perseid-works-{job}-0.json", f"perseid-works-{job}-1.json"])

    def test_the_launcher_ends_with_the_merged_timeline(self):
        job = self.submit("merged", f"{PERSEID} run -- srun -n 2 {WORKS} 0.2\n")
        self.cluster.wait_for(job, {"COMPLETED"})
        self.assertEqual(self.files(), [f"perseid-works-{job}-0.json", f"perseid-works-{job}-1.json",
                                        f"perseid-works-{job}.json"])

    def test_array(self):
        job = self.submit("array", f"srun -n 1 {PERSEID} run -- {WORKS} 0.2\n", "--array=3-4")
        self.cluster.wait_for(job, {"COMPLETED"})
        self.assertEqual(self.files(), [f"perseid-works-{job}_3-0.json", f"perseid-works-{job}_4-0.json"])
        self.assertEqual(self.facts(f"perseid-works-{job}_4-0.json")["array_index"], "4")

    def test_scancel_leaves_a_timeline(self):
        job = self.submit("cancelled", f"srun -n 1 {PERSEID} run -- {WORKS} 600\n")
        self.wait_for_records()
        self.cluster.run("scancel", job)
        self.cluster.wait_for(job, ENDED)
        wait_until(lambda: self.files(), "the timeline")
        self.assertTrue(self.facts(self.files()[0])["end"].startswith("signal 15 (SIGTERM)"))

    def test_sigkill_leaves_a_capture_that_can_be_exported(self):
        job = self.submit("killed", f"export LD_PRELOAD={LIBRARY} PERSEID=on\nsrun -n 2 {WORKS} 600 stubborn\n")
        self.wait_for_records(count=2)
        self.cluster.run("scancel", job)
        self.cluster.wait_for(job, ENDED)
        captures = [self.here / name for name in self.files("*.capture")]
        self.assertEqual(len(captures), 2)
        wait_until(lambda: not any(pathlib.Path(f"/proc/{self.pid(c)}").exists() for c in captures),
                   "the end of the processes")
        merged = subprocess.run([PERSEID, "merge", "-o", "all.json", "-r", "."], cwd=self.here, text=True,
                                capture_output=True)
        self.assertEqual(merged.returncode, 0, merged.stderr)
        self.assertIn("rank 0: killed", merged.stderr)
        self.assertEqual(self.facts("all.json")["rank 1: end"], "killed")
        self.assertEqual(self.files("*.capture"), [])

    def pid(self, capture):
        for line in (capture / "manifest").read_text().splitlines():
            if line.startswith("pid "):
                return line.split()[1]
        return "0"

    def test_requeue_gives_files_of_their_own(self):
        job = self.submit("requeued", f"srun -n 1 {PERSEID} run -- {WORKS} "
                                      "$([ -n \"$SLURM_RESTART_COUNT\" ] && echo 0.2 || echo 600)\n", "--requeue")
        self.wait_for_records()
        self.cluster.run("scontrol", "requeue", job)
        # A requeued job is held back for a while; nobody has to wait for that here.
        wait_until(lambda: "PENDING" in self.cluster.state(job), "the requeued job")
        self.cluster.run("scontrol", "update", f"JobId={job}", "StartTime=now")
        self.cluster.wait_for(job, {"COMPLETED"}, seconds=180)
        self.assertEqual(self.files(), [f"perseid-works-{job}-0.json",
                                        f"perseid-works-{job}-restart1-0.json"])
        self.assertEqual(self.facts(f"perseid-works-{job}-restart1-0.json")["restart"], "1")

    def test_time_limit(self):
        self.here = self.root / "limit"
        self.cluster.wait_for(self.limited, {"TIMEOUT"}, seconds=180)
        expected = [f"perseid-works-{self.limited}-{rank}.json" for rank in range(2)]
        wait_until(lambda: self.files() == expected, "the timelines")
        for name in expected:
            self.assertTrue(self.facts(name)["end"].startswith("signal 15 (SIGTERM)"), self.facts(name)["end"])


if __name__ == "__main__":
    try:
        with tempfile.TemporaryDirectory(prefix="perseid-slurm-") as directory:
            with Cluster(directory):
                pass
    except CannotRun as reason:
        print(f"skipped: Slurm cannot run here: {reason}")
        sys.exit(77)
    unittest.main(verbosity=2)
