"""Real programs with one planted fault each: the largest loss that the report names is that fault.

PERSEID_PLANTED_RUNS=20 repeats each program, prints how often that is so, and takes 19 of 20.
"""

import json
import os
import pathlib
import statistics
import subprocess
import tempfile
import unittest

PERSEID = os.environ["PERSEID_TOOL"]
STARPU = os.environ["PERSEID_PLANTED_STARPU"]
OPENMP = os.environ["PERSEID_PLANTED_OPENMP"]
RUNS = int(os.environ.get("PERSEID_PLANTED_RUNS", "1"))


def clean_environment():
    prefixes = ("PERSEID", "STARPU", "SLURM", "PMI", "OMPI", "LD_", "OMP_", "KMP_", "GOMP_", "TMPDIR")
    environment = {k: v for k, v in os.environ.items() if not k.startswith(prefixes)}
    environment.update(STARPU_NCPU="2", OMP_NUM_THREADS="2")
    return environment


class Planted(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        """StarPU measures the machine on its first start."""
        cls.starpu_home = tempfile.TemporaryDirectory(prefix="perseid-starpu-home-")
        cls.addClassCleanup(cls.starpu_home.cleanup)
        subprocess.run([STARPU, "nothing"], env={**clean_environment(), "STARPU_HOME": cls.starpu_home.name},
                       capture_output=True, timeout=120, check=True)

    def setUp(self):
        directory = tempfile.TemporaryDirectory(prefix="perseid-planted-")
        self.addCleanup(directory.cleanup)
        self.here = pathlib.Path(directory.name)

    def run_perseid(self, *words, **more):
        result = subprocess.run([PERSEID, *words], cwd=self.here, text=True, capture_output=True, timeout=120,
                                env={**clean_environment(), "STARPU_HOME": self.starpu_home.name, **more})
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        return result.stdout

    def report(self, program, fault, **more):
        words = ("--openmp=llvm",) if program == OPENMP else ()
        said = self.run_perseid("run", "-q", *words, "-o", "run.json", "--", program, fault, **more)
        data = json.loads(self.run_perseid("report", "--json", "run.json"))
        (self.here / "run.json").unlink()
        labels = data["labels"]["all"]
        self.assertEqual(sum(labels.values()), data["worker_ns"])
        self.assertEqual(data["workers"], 2, data["per_worker"])
        self.assertEqual(labels.get("unexplained", 0), 0)
        return data, labels, float(said or 0)

    def assert_planted(self, program, fault, at_least_ms, **more):
        """`fault` is the label of the loss. It costs most of what is planted: when the machine is busy,
        late threads take a part of it. Where the program measured it, the report says about the same."""
        found, wrong, ratios = [], [], []
        for _ in range(RUNS):
            _, labels, measured_ms = self.report(program, fault, **more)
            losses = {label: ns for label, ns in labels.items() if label != "work"}
            largest = max(losses, key=losses.get)
            if largest == fault and losses[fault] >= 0.6 * at_least_ms * 1e6:
                found.append(losses[fault] / 1e6)
                if measured_ms > 0:
                    ratios.append(found[-1] / measured_ms)
            else:
                wrong.append({label: round(ns / 1e6, 1) for label, ns in labels.items() if ns > 0})
        print(f"\n{pathlib.Path(program).name} {fault}: {len(found)} of {RUNS}"
              + (f", planted {at_least_ms} ms, median {statistics.median(found):.1f},"
                 f" {min(found):.1f} to {max(found):.1f} ms" if found else "")
              + (f", {min(ratios):.3f} to {max(ratios):.3f} of what the program measured" if ratios else "")
              + "".join(f"\n  not so: {labels}" for labels in wrong))
        self.assertLessEqual(len(wrong), RUNS // 20, wrong)
        if ratios:
            self.assertAlmostEqual(statistics.median(ratios), 1, delta=0.5)

    def assert_no_fault(self, program):
        """A busy machine may slow any thread down, but that is no reason to blame the program."""
        shares = []
        for _ in range(RUNS):
            data, labels, _ = self.report(program, "nothing")
            shares.append(labels["work"] / data["worker_ns"])
            causes = {label: ns for label, ns in labels.items() if label not in ("work", "start", "tail")}
            self.assertLess(max(causes.values()), labels["work"], labels)
        print(f"\n{pathlib.Path(program).name} nothing: {min(shares):.1%} to {max(shares):.1%} work")

    # StarPU. In each round one or both workers have nothing to do for what the comment says.

    def test_submission(self):
        self.assert_planted(STARPU, "submission", 29 * (19 + 20))

    def test_dependencies(self):
        self.assert_planted(STARPU, "dependencies", 28 * 10)

    def test_program_waits(self):
        self.assert_planted(STARPU, "program_waits", 29 * 29)

    def test_throttled(self):
        self.assert_planted(STARPU, "throttled", 29 * 29, STARPU_LIMIT_MAX_SUBMITTED_TASKS="1",
                            STARPU_LIMIT_MIN_SUBMITTED_TASKS="0")

    def test_elsewhere(self):
        self.assert_planted(STARPU, "elsewhere", 28 * 10)

    def test_starpu_without_fault(self):
        self.assert_no_fault(STARPU)

    # OpenMP

    def test_imbalance(self):
        self.assert_planted(OPENMP, "imbalance", 20 * 18)

    def test_lock(self):
        self.assert_planted(OPENMP, "lock", 79 * 3)

    def test_serial(self):
        self.assert_planted(OPENMP, "serial", 19 * 18)

    def test_creation(self):
        self.assert_planted(OPENMP, "creation", 11 * 29)

    def test_openmp_dependencies(self):
        self.assert_planted(OPENMP, "dependencies", 18 * 10)

    def test_openmp_without_fault(self):
        self.assert_no_fault(OPENMP)


unittest.main(verbosity=2)
