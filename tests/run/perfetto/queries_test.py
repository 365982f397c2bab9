"""`perseid query`, and every query of docs/user/queries.md."""

import json
import os
import pathlib
import re
import subprocess
import unittest

from formats_case import FormatsCase, PERSEID

EXAMPLES = pathlib.Path(os.environ["PERSEID_EXAMPLES"])
OPENMP = pathlib.Path(os.environ["PERSEID_OPENMP_PROGRAMS"])
DOCUMENT = pathlib.Path(os.environ["PERSEID_SOURCE"]) / "docs" / "user" / "queries.md"
QUERIES = re.findall(r"```sql\n(.*?)```", DOCUMENT.read_text(), re.S)


class Queries(FormatsCase):
    def query(self, *words, status=0, **changes):
        environment = dict(self.environment, PERSEID_TRACE_PROCESSOR=os.environ["PERSEID_TRACE_PROCESSOR"])
        environment.update(changes)
        result = subprocess.run(
            [PERSEID, "query", *map(str, words)], cwd=self.here, env=environment, capture_output=True, text=True,
            timeout=120)
        self.assertEqual(result.returncode, status, result.stderr)
        return result

    def expect_answers(self, capture):
        files = self.export(capture)
        self.assertGreaterEqual(len(QUERIES), 10)
        for name in ("json", "pftrace"):
            results = json.loads(self.query(files[name], "--json", *QUERIES).stdout)
            self.assertEqual(len(results), len(QUERIES))
            for sql, result in zip(QUERIES, results):
                if sql in QUERIES[-2:]:  # what is lost, what was not taken
                    self.assertEqual(result["rows"], [], sql)
                else:
                    self.assertGreater(len(result["rows"]), 0, sql)

    def test_annotations(self):
        self.expect_answers(self.record(EXAMPLES / "annotated"))

    def test_starpu(self):
        self.expect_answers(self.record(EXAMPLES / "starpu_cholesky"))

    def test_openmp(self):
        self.expect_answers(self.record(OPENMP / "constructs"))

    def test_columns_come_first_and_rows_below(self):
        trace = self.export(self.record(EXAMPLES / "annotated"))["pftrace.gz"]
        result = self.query(trace, "select 'a' as first, 7 as second")
        self.assertEqual(result.stdout, "first\tsecond\na\t7\n")
        self.assertEqual(self.query(trace).stdout.splitlines()[0], "slices")

    def test_a_timeline_that_is_too_large_for_the_trace_processor(self):
        # Instead of the 4 GB that wasm has at most.
        (self.here / "limit.mjs").write_text("""
            const grow = WebAssembly.Memory.prototype.grow;
            WebAssembly.Memory.prototype.grow = function (pages) {
              if (this.buffer.byteLength + 65536 * pages > 128 << 20) throw new RangeError('at the limit');
              return grow.call(this, pages);
            };""")
        limit = {"NODE_OPTIONS": f"--import={self.here / 'limit.mjs'}"}
        for name, count, status in (("small", 100, 0), ("large", 400_000, 1)):
            events = ",".join(f'{{"ph":"X","name":"s","ts":{10 * i},"dur":5,"pid":1,"tid":1,"args":{{"task":{i}}}}}'
                              for i in range(count))
            (self.here / name).write_text(f'{{"traceEvents":[{events}]}}')
            result = self.query(name, "select count(*) from slice", status=status, **limit)
        self.assertRegex(result.stderr, r"^perseid: large \([0-9.]+ MiB\) needs more memory .*--from .*\.pftrace.*\n$")

    def test_mistakes_are_reported(self):
        trace = self.export(self.record(EXAMPLES / "annotated"))["json"]
        self.assertIn("query failed: selec", self.query(trace, "selec", status=1).stderr)
        self.assertIn("cannot open nowhere", self.query("nowhere", status=2).stderr)
        self.assertIn("needs a timeline", self.query(status=2).stderr)
        self.assertIn("perseid export", self.query(self.here, status=2).stderr)
        missing = self.query(trace, status=2, PERSEID_TRACE_PROCESSOR=str(self.here / "none"))
        self.assertIn("perseid query --install", missing.stderr)


if __name__ == "__main__":
    unittest.main(verbosity=2)
