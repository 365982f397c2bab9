"""Many events: all of them are in the capture and in the timeline, in bounded memory.

volume_test.py [EVENTS]: 1 million by default, a begin and an end for each range; tests/long.sh asks
for 100 million.
"""

import os
import pathlib
import re
import resource
import subprocess
import sys
import tempfile
import unittest

PERSEID = os.environ["PERSEID_TOOL"]
PROGRAM = os.environ["PERSEID_RANGES"]
EVENTS = int(sys.argv.pop()) if len(sys.argv) > 1 and sys.argv[-1].isdigit() else 1_000_000
THREADS = 4
MOST_KIB = 256 * 1024  # whatever the number of events


class Volume(unittest.TestCase):
    def run_in(self, *words):
        clean = {k: v for k, v in os.environ.items() if not k.startswith(("PERSEID", "STARPU", "LD_"))}
        result = subprocess.run(list(map(str, words)), cwd=self.here, env=clean, text=True, capture_output=True)
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        # The largest of all children so far: what is bounded now was bounded before.
        self.assertLess(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss, MOST_KIB, words)
        return result.stdout

    def count(self, report, what):
        found = re.search(rf"^ +(\d+) +{re.escape(what)}$", report, re.M)
        return int(found[1]) if found else 0

    def test_all_events_arrive_and_memory_is_bounded(self):
        ranges = EVENTS // 2
        with tempfile.TemporaryDirectory(prefix="perseid-volume-") as directory:
            self.here = pathlib.Path(directory)
            self.run_in(PERSEID, "run", "-k", "-s", "export=0", "-o", "t.pftrace", "--", PROGRAM, THREADS,
                        ranges // THREADS)
            report = self.run_in(PERSEID, "check", "t.capture")
            self.assertEqual(self.count(report, "annotations.range_begin"), ranges)
            self.assertEqual(self.count(report, "annotations.range_end"), ranges)
            self.assertIn("nothing lost, nothing damaged", report)

            self.run_in(PERSEID, "export", "-o", "t.pftrace", "t.capture")
            flushes = self.count(report, "core.self_flush")
            report = self.run_in(PERSEID, "check", "t.pftrace")
            shown = sum(map(int, re.findall(r"^ +(\d+) +thread \d", report, re.M)))
            self.assertEqual(shown, ranges + flushes)
            self.assertRegex(report, r"\n +lost +0\n")


unittest.main(verbosity=2)
