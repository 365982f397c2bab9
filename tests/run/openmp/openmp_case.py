"""Runs OpenMP programs with and without Perseid, and reads what they left."""

import json
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

PERSEID = os.environ["PERSEID_TOOL"]
LIBRARY = os.environ["PERSEID_LIBRARY"]
PROGRAMS = pathlib.Path(os.environ["PERSEID_OPENMP_PROGRAMS"])
SOURCES = pathlib.Path(__file__).parent / "programs"
# The directory of another LLVM runtime; empty: the one the program finds by itself.
RUNTIME = os.environ.get("PERSEID_OPENMP_RUNTIME", "")

LOSSES = (
    "select name, value from stats where value != 0 and (severity in ('error', 'data_loss') "
    "or name in ('flow_end_without_start'))")


def clean_environment():
    prefixes = ("PERSEID", "STARPU", "SLURM", "PMI", "OMPI", "LD_", "OMP_", "KMP_", "GOMP_")
    return {k: v for k, v in os.environ.items() if not k.startswith(prefixes)}


class Timeline:
    """The events of a timeline file."""

    def __init__(self, path):
        self.path = path
        self.events = json.loads(path.read_text())["traceEvents"]
        self.slices = [e for e in self.events if e["ph"] in "Xi"]

    def count(self, category=None, name=None):
        """Slices and instants whose category is `category` and whose name matches `name`."""
        return len(self.find(category, name))

    def find(self, category=None, name=None):
        return [
            e for e in self.slices
            if (category is None or e["cat"] == category) and (name is None or re.search(name, e["name"]))]

    def arrows(self):
        starts = {e["id"] for e in self.events if e["ph"] == "s"}
        return [e for e in self.events if e["ph"] == "f" and e["id"] in starts]

    def threads(self):
        """The names of all rows but the one with the facts of the run."""
        names = [e["args"]["name"] for e in self.events if e["ph"] == "M" and e["name"] == "thread_name"]
        return [name for name in names if name != "Run"]


class OpenmpCase(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        directory = tempfile.TemporaryDirectory(prefix="perseid-openmp-")
        self.addCleanup(directory.cleanup)
        self.here = pathlib.Path(directory.name)
        self.environment = clean_environment()
        self.environment["OMP_NUM_THREADS"] = "4"
        if RUNTIME:
            self.environment["LD_LIBRARY_PATH"] = RUNTIME

    def run_program(self, name, *words, prefix=(), timeout=100, **variables):
        environment = {**self.environment, **{k: v for k, v in variables.items() if v is not None}}
        return subprocess.run(
            [*prefix, PROGRAMS / name, *words], cwd=self.here, env=environment, text=True,
            capture_output=True, timeout=timeout)

    def trace(self, name, *words, status=0, **variables):
        """Runs the program untraced and as OpenMP's tool; both must say and return the same."""
        plain = self.run_program(name, *words, **variables)
        traced = self.run_program(name, *words, OMP_TOOL_LIBRARIES=LIBRARY, **variables)
        self.assertEqual(traced.stdout, plain.stdout)
        self.assertEqual(traced.returncode, plain.returncode, traced.stderr)
        self.assertEqual(plain.returncode, status, plain.stderr)
        self.stderr = traced.stderr
        return self.the_timeline()

    def perseid(self, *words):
        result = subprocess.run(
            [PERSEID, *words], cwd=self.here, env=self.environment, text=True, capture_output=True, timeout=100)
        self.assertEqual(result.returncode, 0, result.stderr)
        return result

    def remove_capture(self, capture):
        """With its rings, which lie elsewhere."""
        facts = dict(
            line.split(" ", 1) for line in (capture / "manifest").read_text().splitlines() if " " in line)
        for directory in (pathlib.Path(facts["rings"]), capture):
            if directory.is_dir():
                shutil.rmtree(directory)

    def timelines(self):
        return sorted(self.here.glob("*.json"))

    def the_timeline(self):
        found = self.timelines()
        self.assertEqual(len(found), 1, self.stderr)
        self.assertIn(" 0 lost", self.stderr)
        timeline = Timeline(found[0])
        found[0].rename(found[0].with_suffix(".seen"))
        timeline.path = found[0].with_suffix(".seen")
        self.assertEqual(list(self.here.glob("*.capture")), [])
        return timeline

    def ask(self, timeline, *queries):
        """Rows of each query from the real trace processor, which must have taken everything."""
        answer = subprocess.run(
            ["node", os.environ["PERSEID_TRACE_QUERY"], timeline.path, "--json", LOSSES, *queries],
            env={**os.environ, "TRACE_PROCESSOR": os.environ["PERSEID_TRACE_PROCESSOR"]},
            capture_output=True, text=True, timeout=100)
        self.assertEqual(answer.returncode, 0, answer.stderr)
        losses, *results = (result["rows"] for result in json.loads(answer.stdout))
        self.assertEqual(losses, [])
        return results

    def assert_slices_nest(self, timeline):
        by_thread = {}
        for e in timeline.slices:
            if e["ph"] == "X":
                begin = round(e["ts"] * 1000)
                by_thread.setdefault(e["tid"], []).append((begin, -round(e["dur"] * 1000), e["name"]))
        for slices in by_thread.values():
            open_ends = []
            for begin, negative, name in sorted(slices):
                end = begin - negative
                while open_ends and open_ends[-1] <= begin:
                    open_ends.pop()
                if open_ends:
                    self.assertLessEqual(end, open_ends[-1], name)
                open_ends.append(end)


def lines_of(source):
    """The line of each place that the source marks with "at: NAME" in a comment."""
    lines = (SOURCES / source).read_text().splitlines()
    found = {}
    for number, line in enumerate(lines, 1):
        if (mark := re.search(r"(?://|!) at: (\w+)$", line)):
            found[mark[1]] = number
    return found


def main():
    unittest.main(verbosity=2)
