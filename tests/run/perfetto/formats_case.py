"""Exports one capture to several formats and asks the real trace processor about each."""

import atexit
import functools
import json
import os
import pathlib
import re
import subprocess
import tempfile
import unittest

PERSEID = os.environ["PERSEID_TOOL"]
TRACE_QUERY = os.environ["PERSEID_TRACE_QUERY"]

LOSSES = (
    "select name, value from stats where value != 0 and (severity in ('error', 'data_loss') or "
    "name in ('flow_end_without_start', 'interned_data_tokenizer_errors', 'track_event_parser_errors'))")
LANE = (
    "(select t.id, coalesce(th.name, t.name) as lane from track t "
    "left join thread_track tt on tt.id = t.id left join thread th using (utid))")
START = "(select min(ts) from slice)"

# The same questions to every format. Lanes are called by name: their numbers are the format's own.
QUESTIONS = {
    "slices": f"""
        select l.lane, s.ts - {START}, s.dur, s.depth, s.name, s.category, p.name, p.ts - {START}
        from slice s join {LANE} l on s.track_id = l.id left join slice p on s.parent_id = p.id
        order by 2, 3 desc, 1, 4, 5""",
    "arguments": f"""
        select l.lane, s.ts - {START}, s.dur, s.depth, s.name, substr(a.key, instr(a.key, '.') + 1) as k,
               a.display_value as v
        from slice s join {LANE} l on s.track_id = l.id join args a using (arg_set_id)
        where a.key like 'args.%' or a.key like 'debug.%' order by 2, 3 desc, 1, 4, 5, 6, 7""",
    "arrows": f"""
        select lo.lane, o.ts - {START}, o.dur, o.name, o.depth, li.lane, i.ts - {START}, i.dur, i.name, i.depth
        from flow f join slice o on f.slice_out = o.id join slice i on f.slice_in = i.id
        join {LANE} lo on o.track_id = lo.id join {LANE} li on i.track_id = li.id
        order by 2, 7, 1, 6, 4, 9, 5, 10""",
    "counters": f"""
        select t.name as n, t.unit, c.ts - {START}, c.value
        from counter c join counter_track t on c.track_id = t.id order by 3, 1, 4""",
    "processes": "select pid, name from process where pid is not null order by 1",
}


def clean_environment():
    prefixes = ("PERSEID", "STARPU", "SLURM", "PMI", "OMPI", "LD_", "OMP_", "KMP_")
    return {k: v for k, v in os.environ.items() if not k.startswith(prefixes)}


class TraceProcessor:
    """Started once: that takes longer than loading a small timeline."""

    def __init__(self):
        environment = dict(os.environ, TRACE_PROCESSOR=os.environ["PERSEID_TRACE_PROCESSOR"])
        self.process = subprocess.Popen(
            ["node", TRACE_QUERY, "--serve"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
            env=environment)
        atexit.register(self.close)

    def close(self):
        self.process.stdin.close()
        self.process.wait(timeout=60)
        self.process.stdout.close()

    def ask(self, path, queries):
        self.process.stdin.write(json.dumps({"file": str(path), "queries": queries}) + "\n")
        self.process.stdin.flush()
        answer = json.loads(self.process.stdout.readline())
        if isinstance(answer, dict):
            raise AssertionError(f"{path}: {answer['error']}")
        return [result["rows"] for result in answer]


@functools.cache
def trace_processor():
    return TraceProcessor()


def ask(path, *queries):
    """The rows of each query."""
    return trace_processor().ask(path, queries)


def in_common_words(question, rows, is_json):
    """Protobuf draws rows of one lane as one track; JSON's counters have their unit in the name."""
    if question == "counters":
        def with_unit(name, unit):
            return name if is_json or (unit and name.endswith(" " + unit)) else f"{name} {unit or 'value'}"
        return sorted([with_unit(*r[:2]), *r[2:]] for r in rows)
    if question == "arguments":  # the importer of JSON rounds the last digits of fractions
        rows = [[*r[:-1], re.sub(r"^-?\d+\.\d{8,}$", lambda m: f"{float(m[0]):.12g}", r[-1])] for r in rows]
    lanes = {"slices": (0,), "arguments": (0,), "arrows": (0, 5)}.get(question, ())
    return sorted(
        [re.sub(r" \(\d+\)$", "", cell) if i in lanes else cell for i, cell in enumerate(row)]
        for row in [[str(c) for c in r] for r in rows])


class FormatsCase(unittest.TestCase):
    maxDiff = 4000

    def setUp(self):
        directory = tempfile.TemporaryDirectory(prefix="perseid-formats-")
        self.addCleanup(directory.cleanup)
        self.here = pathlib.Path(directory.name)
        self.environment = clean_environment()

    def perseid(self, *words, status=0):
        result = subprocess.run(
            [PERSEID, *map(str, words)], cwd=self.here, env=self.environment, capture_output=True, text=True,
            timeout=120)
        self.assertEqual(result.returncode, status, result.stderr)
        return result

    def record(self, *command):
        """Runs a program and returns its capture. Options of `perseid run` end with "--"."""
        rest = command if "--" in command else ("--", *command)
        self.perseid("run", "--set", "export=0", "-o", "run.json", *rest)
        capture = self.here / "run.capture"
        self.assertTrue(capture.is_dir(), list(self.here.iterdir()))
        return capture

    def export(self, capture, *options, name="t", formats=("json", "json.gz", "pftrace", "pftrace.gz")):
        """All formats at once; their files by format."""
        outs = [word for f in formats for word in ("-o", self.here / f"{name}.{f}")]
        self.perseid("export", capture, *outs, *options)
        return {f: self.here / f"{name}.{f}" for f in formats}

    def answers(self, path):
        losses, *rows = ask(path, LOSSES, *QUESTIONS.values())
        self.assertEqual(losses, [], path)
        return {q: in_common_words(q, r, ".json" in path.name) for q, r in zip(QUESTIONS, rows)}

    def expect_same(self, files):
        """Every format says the same, row by row; returns what they say."""
        said = {f: self.answers(path) for f, path in files.items()}
        for question in QUESTIONS:
            first = said["json"][question]
            for f in said:
                self.assertEqual(len(said[f][question]), len(first), f"{question} of {f}")
                for mine, other in zip(said[f][question], first):
                    self.assertEqual(mine, other, f"{question} of {f}")
        return said["json"]
