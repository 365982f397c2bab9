"""The report at the end of runs, and what `perseid report` prints of captures and timelines."""

import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import tempfile
import unittest

PERSEID = os.environ["PERSEID_TOOL"]
LIBRARY = os.environ["PERSEID_LIBRARY"]
PHASES = os.environ["PERSEID_PHASES"]
OPENMP = os.environ["PERSEID_OPENMP_PROGRAM"]


def clean_environment():
    prefixes = ("PERSEID", "STARPU", "SLURM", "PMI", "OMPI", "LD_", "OMP_", "KMP_", "TMPDIR")
    environment = {k: v for k, v in os.environ.items() if not k.startswith(prefixes)}
    environment.update(STARPU_NCPU="2", OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
                       OMPI_MCA_rmaps_base_oversubscribe="1")
    return environment


class Report(unittest.TestCase):
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        """StarPU measures the machine on its first start, and reports that."""
        cls.starpu_home = tempfile.TemporaryDirectory(prefix="perseid-starpu-home-")
        cls.addClassCleanup(cls.starpu_home.cleanup)
        subprocess.run([PHASES], env={**clean_environment(), "STARPU_HOME": cls.starpu_home.name},
                       capture_output=True, timeout=120, check=True)

    def setUp(self):
        directory = tempfile.TemporaryDirectory(prefix="perseid-report-")
        self.addCleanup(directory.cleanup)
        self.here = pathlib.Path(directory.name)
        self.environment = clean_environment()
        self.environment["STARPU_HOME"] = self.starpu_home.name

    def run_words(self, *words, **more):
        return subprocess.run([str(word) for word in words], cwd=self.here, text=True, capture_output=True,
                              timeout=120, env={**self.environment, **more})

    def perseid(self, *words, status=0):
        result = self.run_words(PERSEID, *words)
        self.assertEqual(result.returncode, status, result.stdout + result.stderr)
        return result

    def report(self, *words):
        return self.perseid("report", *words).stdout

    def json(self, *words):
        return json.loads(self.report("--json", *words))

    def assert_exact(self, data):
        self.assertEqual(data["worker_ns"], data["workers"] * data["time_ns"])
        self.assertEqual(sum(data["labels"]["all"].values()), data["worker_ns"])
        for kind, workers in data["workers_by_kind"].items():
            self.assertEqual(sum(data["labels"][kind].values()), workers * data["time_ns"])
        for worker in data["per_worker"]:
            self.assertEqual(sum(worker["labels"].values()), data["time_ns"])
        self.assertIn(sum(data["chain"].values()), (0, data["time_ns"]))
        for bound in data["bounds"].values():
            self.assertLessEqual(bound, data["time_ns"])

    def assert_short(self, stderr, workers):
        lines = stderr.splitlines()
        self.assertRegex(lines[0], r"^perseid: \d+ events, 0 lost, .* in .*run\.json$")
        self.assertRegex(lines[1], rf"^perseid: [^,]+, [^:]+: {workers}")
        self.assertLessEqual(len(lines), 6)
        self.assertRegex(lines[2], r"^\d+(\.\d)? % of \d+ (workers|threads) x .* was work")
        self.assertRegex(lines[-1], r"^More.*: perseid report ")
        for line in lines[1:]:
            self.assertLessEqual(len(line), 79)

    def test_a_run_of_starpu_ends_with_it(self):
        plain = self.run_words(PHASES)
        traced = self.perseid("run", "-o", "run.json", "--", PHASES)
        self.assertEqual(traced.stdout, plain.stdout)
        self.assert_short(traced.stderr, "2 CPU workers, StarPU lws")
        self.assertIn("without the warm-up phases", traced.stderr)

    def test_a_process_that_exports_itself_prints_it_too(self):
        result = self.run_words(PHASES, LD_PRELOAD=LIBRARY, PERSEID="out=run.json")
        self.assertEqual((result.stdout, result.returncode), ("all tasks ran\n", 0))
        self.assert_short(result.stderr, "2 CPU workers, StarPU lws")

    def test_a_run_of_openmp_ends_with_it(self):
        plain = self.run_words(OPENMP, OMP_NUM_THREADS="2")
        self.environment["OMP_NUM_THREADS"] = "2"
        traced = self.perseid("run", "--openmp=llvm", "-o", "run.json", "--", OPENMP)
        self.assertEqual(traced.stdout, plain.stdout)
        self.assert_short(traced.stderr, r"2 OpenMP threads$")
        self.assert_exact(self.json("run.json"))

    def test_it_can_be_longer_and_left_out(self):
        full = self.perseid("run", "-s", "report=full", "-o", "run.json", "--", PHASES).stderr
        lines = full.splitlines()
        self.assertRegex(full, r"(?m)^Where 2 workers x .* all$")
        self.assertRegex(full, r"(?m)^Doubts: none\.$")
        self.assertLessEqual(len(lines), 26)
        off = self.perseid("run", "-s", "report=off", "-o", "off.json", "--", PHASES).stderr
        self.assertEqual(off.count("\n"), 1, off)
        self.assertEqual(self.perseid("run", "-q", "-o", "q.json", "--", PHASES).stderr, "")
        self.assertEqual(self.run_words(PHASES, LD_PRELOAD=LIBRARY, PERSEID="quiet=1,out=p.json").stderr, "")
        # Whatever is printed, the timeline has it.
        self.assertEqual(self.report("off.json").count("Where"), 1)

    def test_a_program_without_workers_has_none(self):
        result = self.perseid("run", "-k", "-o", "run.json", "--", "true")
        self.assertNotIn("report", result.stderr)

    def test_all_files_and_the_capture_give_the_same(self):
        self.perseid("run", "-k", "-q", "-o", "run.json", "--", PHASES)
        expected, numbers = self.report("run.capture"), self.json("run.capture")
        self.assert_exact(numbers)
        self.assertLessEqual(expected.count("\n"), 25)
        self.perseid("export", "-q", "-o", "a.json.gz", "-o", "a.pftrace", "-o", "a.pftrace.gz", "run.capture")
        for name in ("run.json", "a.json.gz", "a.pftrace", "a.pftrace.gz"):
            self.assertEqual(self.report(name), expected, name)
            self.assertEqual(self.json(name), numbers, name)
            self.assertEqual(self.report("--short", name).splitlines()[:-1],
                             self.report("--short", "run.capture").splitlines()[:-1])

    def test_parts_of_a_capture(self):
        self.perseid("run", "-k", "-q", "-o", "run.json", "--", PHASES)
        whole = self.json("run.capture")
        self.assertEqual((whole["tasks"], [p["name"] for p in whole["phases"]]), (15, ["factorise", "solve"]))
        tasks = {}
        for words in (("--phase", "solve"), ("--phase", "warm-up"), ("--iterations", "2-3"), ("-i", "2"),
                      ("--worker", "CPU 1"), ("--from", "0", "--to", "9999")):
            part = self.json(*words, "run.capture")
            self.assert_exact(part)
            self.assertTrue(part["scope"] or words[0] == "--from", words)
            tasks[words] = part["tasks"]
        self.assertEqual(list(tasks.values())[:4], [5, 5, 15, 10])
        self.assertEqual(tasks[("--from", "0", "--to", "9999")], 20)
        # At least the work of five tasks of 2 ms on two workers.
        self.assertGreaterEqual(self.json("--phase", "solve", "run.capture")["labels"]["all"]["work"], 10_000_000)
        missing = self.perseid("report", "--phase", "init", "run.capture", status=2).stderr
        self.assertIn('there are "factorise", "solve", "warm-up"', missing)
        self.assertIn("there are 1 to 3", self.perseid("report", "-i", "7-9", "run.capture", status=2).stderr)

    def test_parts_of_a_timeline(self):
        self.perseid("run", "-q", "-o", "run.json", "--", PHASES)
        part = self.json("--phase", "solve", "run.json")
        self.assertEqual(part["scope"], "phase solve")
        self.assert_exact(part)
        self.assertIn("Scope: phase solve.", self.report("--phase", "solve", "run.json"))
        refused = self.perseid("report", "--from", "1", "run.json", status=2).stderr
        self.assertIn("keep the capture (keep=1)", refused)
        self.assertIn('there are "factorise", "solve"',
                      self.perseid("report", "--phase", "init", "run.json", status=2).stderr)

    def test_after_kill_9(self):
        killed = self.run_words(PHASES, "die", LD_PRELOAD=LIBRARY, PERSEID="out=run.json")
        self.assertEqual(killed.returncode, -signal.SIGKILL)
        data = self.json("run.capture")
        self.assertEqual(data["tasks"], 15)
        self.assert_exact(data)
        self.assertIn("did not finish: killed", self.report("run.capture"))

    def test_of_a_running_program(self):
        process = subprocess.Popen([PHASES, "wait"], cwd=self.here, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                   env={**self.environment, "LD_PRELOAD": LIBRARY, "PERSEID": "quiet=1,out=run.json"})
        try:
            self.assertEqual(process.stdout.readline(), b"done\n")
            result = self.perseid("report", "run.capture")
            self.assertIn("15 tasks in", result.stdout)
            self.assertIn("still running", result.stderr)
        finally:
            process.communicate(b"\n", timeout=60)

    @unittest.skipUnless(shutil.which("mpirun.openmpi"), "Open MPI is not installed")
    def test_a_job_has_one(self):
        result = self.perseid("run", "-k", "-o", "%r.json", "--", "mpirun.openmpi", "-np", "2", PHASES)
        self.assertEqual(result.stderr.count("% of 4 workers x"), 1, result.stderr)
        self.assertEqual(result.stderr.count("2 ranks, 4 CPU workers"), 1, result.stderr)
        self.assertEqual(result.stdout, 2 * "all tasks ran\n")
        merged = re.search(r"(?m) in (\S+)$", result.stderr)[1]
        data = self.json(merged)
        self.assert_exact(data)
        self.assertEqual((data["ranks"], data["tasks"]), (2, 30))
        again = self.perseid("merge", "-o", "again.pftrace", "0.capture", "1.capture")
        self.assertEqual(again.stderr.count("2 ranks, 4 CPU workers"), 1, again.stderr)
        self.assertEqual(self.json("again.pftrace"), data)
        joined = self.perseid("merge", "-o", "joined.json", "0.json", "1.json")
        self.assertIn("2 ranks, 4 CPU workers", joined.stderr)
        self.assert_exact(self.json("joined.json"))

    def test_what_has_none(self):
        (self.here / "x.json").write_text('{"traceEvents":[]}')
        self.assertIn("has no report in it", self.perseid("report", "x.json", status=2).stderr)
        self.assertIn("cannot open", self.perseid("report", "nowhere.json", status=2).stderr)
        self.assertIn("--help", self.perseid("report", status=2).stderr)
        self.assertIn("--iterations takes", self.perseid("report", "-i", "7-", "x.json", status=2).stderr)


unittest.main(verbosity=2)
