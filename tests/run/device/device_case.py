"""Runs programs that use devices with and without Perseid, and reads what they left."""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

LIBRARY = os.environ["PERSEID_LIBRARY"]
TOOL = os.environ["PERSEID_TOOL"]
LOSSES = (
    "select name, value from stats where value != 0 and (severity in ('error', 'data_loss') "
    "or name in ('flow_end_without_start'))")


def only_with(found, what):
    """Decorates tests: without `what` they are skipped, or fail where nothing may be missing."""
    if not found and "PERSEID_REQUIRE_ALL" in os.environ:
        sys.exit(f"{what} is missing, and PERSEID_REQUIRE_ALL is set")
    return unittest.skipUnless(found, f"{what} is missing")


class DeviceCase(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        directory = tempfile.TemporaryDirectory(prefix="perseid-device-")
        self.addCleanup(directory.cleanup)
        self.here = pathlib.Path(directory.name)
        prefixes = ("PERSEID", "STARPU", "CUDA", "NVTX", "OPENCL_LAYERS", "OCL_ICD", "LD_", "OMP_")
        self.environment = {k: v for k, v in os.environ.items() if not k.startswith(prefixes)}
        self.stderr = ""

    def run_program(self, words, timeout=100, **variables):
        return subprocess.run(
            words, cwd=self.here, env={**self.environment, **variables}, text=True, capture_output=True,
            timeout=timeout)

    def run_both(self, words, settings="on", status=0, compares_output=True, **variables):
        """Untraced and traced: both must say and return the same."""
        plain = self.run_program(words, **variables)
        traced = self.run_program(words, LD_PRELOAD=LIBRARY, PERSEID=settings, **variables)
        self.stderr = traced.stderr
        self.assertEqual(traced.returncode, plain.returncode, traced.stderr)
        self.assertEqual(plain.returncode, status, plain.stderr)
        if compares_output:
            self.assertEqual(traced.stdout, plain.stdout)

    def timelines(self):
        return sorted(self.here.glob("*.json"))

    def trace(self, words, **options):
        self.run_both(words, **options)
        found = self.timelines()
        self.assertEqual(len(found), 1, self.stderr)
        self.assertIn(" 0 lost", self.stderr)
        return found[0].rename(found[0].with_suffix(".seen"))

    def ask(self, timeline, *queries):
        """Rows of each query from the real trace processor, which must have taken everything."""
        answer = subprocess.run(
            ["node", os.environ["PERSEID_TRACE_QUERY"], timeline, "--json", LOSSES, *queries],
            env={**os.environ, "TRACE_PROCESSOR": os.environ["PERSEID_TRACE_PROCESSOR"]},
            capture_output=True, text=True, timeout=100)
        self.assertEqual(answer.returncode, 0, answer.stderr)
        losses, *results = (result["rows"] for result in json.loads(answer.stdout))
        self.assertEqual(losses, [])
        return results

    def events(self, timeline):
        return json.loads(timeline.read_text())["traceEvents"]

    def facts(self, timeline):
        return json.loads(timeline.read_text())["otherData"]


def main():
    unittest.main(verbosity=2)
