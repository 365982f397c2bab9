"""Parts of a timeline: a stretch of time, some lanes, some names, as much as fits."""

import os
import pathlib
import unittest

from formats_case import FormatsCase, LOSSES, ask

EXAMPLES = pathlib.Path(os.environ["PERSEID_EXAMPLES"])
START = "(select min(ts) from slice)"
RUN = ("select s.name, s.ts - {0}, s.dur, extract_arg(s.arg_set_id, '{1}.why') from slice s "
       "join thread_track t on s.track_id = t.id join thread using (utid) "
       "where thread.name = 'Run' order by s.ts, s.dur desc")


class Parts(FormatsCase):
    def setUp(self):
        super().setUp()
        self.capture = self.record(EXAMPLES / "annotated")

    def part(self, *options):
        """Exports with the options; checks that all formats agree."""
        return self.expect_same(self.export(self.capture, *options, formats=("json", "pftrace")))

    def without_run(self, rows):
        return [row for row in rows if row[0] != "Run"]

    def test_a_stretch_of_time(self):
        whole = self.without_run(self.expect_same(self.export(self.capture, name="whole", formats=("json",)))["slices"])
        ends = sorted(int(row[1]) + int(row[2]) for row in whole)
        from_ns, to_ns = ends[len(ends) // 3], ends[2 * len(ends) // 3]
        part = self.without_run(self.part("--from", f"{from_ns}ns", "--to", f"{to_ns}ns")["slices"])
        expected = [r for r in whole if int(r[1]) + int(r[2]) >= from_ns and int(r[1]) <= to_ns]
        self.assertEqual(len(part), len(expected))
        self.assertLess(len(part), len(whole))

    def test_lanes_and_names(self):
        lanes = self.without_run(self.part("--lanes", "worker *")["slices"])
        self.assertEqual({row[0] for row in lanes}, {"worker 1", "worker 2"})

    def test_names(self):
        said = self.part("-n", "pack", "-n", "multiply")
        self.assertEqual({row[4] for row in self.without_run(said["slices"])}, {"pack", "multiply"})
        self.assertEqual({(row[3], row[8]) for row in said["arrows"]} - {("pack", "multiply")}, set())

    def test_the_cut_is_reported_on_the_timeline_and_on_stderr(self):
        result = self.perseid("export", self.capture, "-o", "cut.pftrace", "--max-events", "500")
        self.assertRegex(result.stderr, r"the timeline is cut at [0-9.]+ s by max_events=500; \d+ events")
        losses, ((slices,),), run = ask(
            self.here / "cut.pftrace", LOSSES, "select count(*) from slice", RUN.format(START, "debug"))
        self.assertEqual(losses, [])
        self.assertLess(int(slices), 600)
        cut = [row for row in run if row[0] == "not in this timeline"]
        self.assertEqual(len(cut), 1)
        self.assertEqual(cut[0][3], "max_events=500")

    def test_a_limit_of_bytes_holds_in_both_formats(self):
        for suffix in ("json", "pftrace"):
            out = self.here / f"small.{suffix}"
            result = self.perseid("export", self.capture, "-o", out, "--max-bytes", "80K")
            self.assertIn("by max_bytes=81920", result.stderr)
            self.assertLess(out.stat().st_size, 81920 + 60 * 1024)  # and the names of its lanes
            self.assertEqual(ask(out, LOSSES), [[]])

    def test_settings_of_the_run_count_unless_the_call_says_otherwise(self):
        self.perseid("run", "--set", "format=pftrace+json.gz", "--set", "max_events=300", "-o", "limited.json",
                     "--", EXAMPLES / "annotated")
        for name in ("limited.pftrace", "limited.json.gz"):
            (slices,), = ask(self.here / name, "select count(*) from slice")
            self.assertLess(int(slices[0]), 400)
        self.assertFalse((self.here / "limited.json").exists())

    def test_mistakes_are_reported(self):
        for options, words in (
                (("--from", "soon"), "--from takes a time"), (("--from", "2", "--to", "1"), "--from is later"),
                (("--max-bytes", "much"), "--max-bytes takes a size"), (("--format", "otf2"), "otf2"),
                (("-o", "x.otf2"), "known are .json, .json.gz, .pftrace, .pftrace.gz")):
            result = self.perseid("export", self.capture, *options, status=2)
            self.assertIn(words, result.stderr)

    def test_names_that_exist_are_counted_up(self):
        for name in ("t.json.gz", "t.1.json.gz", "t.2.json.gz"):
            self.perseid("export", self.capture, "-o", "t.json.gz")
            self.assertTrue((self.here / name).exists(), name)


if __name__ == "__main__":
    unittest.main(verbosity=2)
