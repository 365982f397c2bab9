"""Many tasks, deep recursion and more threads than cores: nothing is lost, everything nests."""

import json
import re

from openmp_case import LIBRARY, OpenmpCase, Timeline, main


class Stress(OpenmpCase):
    def check_counts(self, *words, **variables):
        """Records by kind, as `perseid check` counts them in the kept capture."""
        result = self.run_program("stress", *words, OMP_TOOL_LIBRARIES=LIBRARY,
                                  PERSEID="keep=1,export=0", **variables)
        self.assertEqual(result.returncode, 0, result.stderr)
        capture = next(self.here.glob("*.capture"))
        checked = self.perseid("check", capture)
        counts = {m[2]: int(m[1]) for m in re.finditer(r"(\d+) +ompt\.(\w+)", checked.stdout)}
        self.assertTrue(counts, checked.stdout)
        self.remove_capture(capture)
        return result.stdout, counts

    def test_a_million_tiny_tasks(self):
        stdout, counts = self.check_counts("tiny", "1000000")
        self.assertEqual(stdout, "1000000\n")
        self.assertEqual(counts["own_task_create"], 1000000)
        self.assertEqual(counts["own_task_switch"] + counts.get("task_switch", 0), 1000000)
        self.assertEqual(counts["task_return"], 1000000)

    def test_recursion(self):
        timeline = self.trace("stress", "fib", "18")
        self.assert_slices_nest(timeline)
        self.assertEqual(timeline.count("openmp.create"), 2 * 4180)
        self.assertEqual(timeline.count("openmp.task"), 2 * 4180)
        self.assertEqual(timeline.count("openmp.wait", "^taskwait"), 4180)

    def test_nested_regions_with_more_threads_than_cores(self):
        timeline = self.trace("stress", "nested", "20")
        self.assert_slices_nest(timeline)
        # A region per thread of the level above, and each on three threads: 3 + 9 + 27.
        self.assertEqual(timeline.count("openmp.parallel"), 20 * (3 + 9 + 27))
        regions = 20 * (1 + 3 + 9)
        arrows = [e for e in timeline.arrows()]
        self.assertEqual(len(arrows), 2 * regions)

    def test_flight_recorder_keeps_names_although_the_beginning_is_gone(self):
        result = self.run_program("stress", "tiny", "100000", OMP_TOOL_LIBRARIES=LIBRARY,
                                  PERSEID="on_full=overwrite,ring=64K,out=last.json")
        self.assertEqual(result.stdout, "100000\n")
        timeline = Timeline(self.here / "last.json")
        self.assert_slices_nest(timeline)
        named = timeline.count("openmp.task", r"^tiny_tasks \(stress\.cpp:\d+\)$")
        self.assertGreater(named, 100)

    def test_dropped_records_are_counted_and_the_rest_nests(self):
        result = self.run_program("stress", "tiny", "200000", OMP_TOOL_LIBRARIES=LIBRARY,
                                  PERSEID="on_full=drop,ring=64K,out=dropped.json")
        self.assertEqual(result.stdout, "200000\n")
        self.assert_slices_nest(Timeline(self.here / "dropped.json"))
        facts = json.loads((self.here / "dropped.json").read_text())["otherData"]
        lost = int(facts["lost"])
        self.assertGreater(lost, 0, "rings of 64K must be too small for this")
        # A task is created, begins and ends; the region around them adds a few records.
        self.assertAlmostEqual(int(facts["records"]) + lost, 3 * 200000, delta=200)
        self.assertIn(f", {lost} lost", result.stderr)

    def test_without_debug_information_the_module_and_offset_are_shown(self):
        timeline = self.trace("stress_stripped", "tiny", "10")
        self.assertEqual(timeline.count("openmp.task", r"^stress_stripped\+0x[0-9a-f]+$"), 10)


if __name__ == "__main__":
    main()
