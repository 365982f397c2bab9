#!/usr/bin/env python3
"""Runs StarPU's own examples under Perseid and compares: the exit code and the output with an
untraced run, the executions on the timeline with a count of its own (programs/counts_jobs.c), and
asks for an arrow from a submission to every execution. The real Perfetto trace processor reads the
timelines. Prints a table; any row that is not as it should be fails.

usage: suite.py --library FILE --counter FILE --examples DIRECTORY --rows FILE --home DIRECTORY
                --trace-query FILE --trace-processor DIRECTORY plain|device
"""
import argparse
import collections
import concurrent.futures
import json
import os
import pathlib
import queue
import shutil
import subprocess
import sys
import tempfile
import threading

AT_ONCE = 2
SECONDS = 120
# Examples compile their OpenCL kernels first; PoCL takes some seconds for each.
DEVICE = {"STARPU_OPENCL_ON_CPUS": "1", "STARPU_NOPENCL": "1", "STARPU_NCPU": "1"}

QUERIES = [
    "select count(*) from slice where category = 'task'",
    "select count(distinct target.id) from flow"
    " join slice target on slice_in = target.id join slice source on slice_out = source.id"
    " where target.category = 'task' and source.category = 'submission'",
    "select name, value from stats where value != 0 and (severity in ('error', 'data_loss')"
    " or name = 'flow_end_without_start')",
]

Row = collections.namedtuple("Row", "kind program arguments output")
Verdict = collections.namedtuple("Verdict", "row tasks parts executions arrows faults")


def read_rows(path, kind):
    rows = []
    for line in pathlib.Path(path).read_text().splitlines():
        if line.startswith("#") or not line:
            continue
        row = Row(*line.split("\t"))
        if row.kind == kind:
            rows.append(row)
    return rows


def run(row, options, directory, environment):
    command = [os.path.join(options.examples, row.program), *row.arguments.split()]
    base = {k: v for k, v in os.environ.items()
            if k not in ("LD_PRELOAD", "PERSEID", "STARPU_TRACE_PLUGIN")}
    base.update(STARPU_HOME=options.home, STARPU_SILENT="1")
    if row.kind == "device":
        base.update(DEVICE)
    base.update(environment)
    return subprocess.run(command, cwd=directory, env=base, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=SECONDS)


def run_untraced(row, options):
    with tempfile.TemporaryDirectory() as directory:
        return run(row, options, directory, {})


def read_counts(path):
    """Tasks and parts of all processes of a run."""
    tasks = parts = 0
    if path.exists():
        for line in path.read_text().splitlines():
            tasks += int(line.split()[0])
            parts += int(line.split()[1])
    return tasks, parts


class TraceProcessor:
    """The real one, started once for many timelines. For one thread."""

    def __init__(self, options):
        self.process = subprocess.Popen(
            ["node", options.trace_query, "--serve"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            text=True, env={**os.environ, "TRACE_PROCESSOR": options.trace_processor})

    def read(self, path):
        """Executions, how many an arrow from a submission leads to, and what was not taken."""
        # A timeline that it cannot digest must not keep the suite waiting.
        limit = threading.Timer(SECONDS, self.process.kill)
        limit.start()
        print(json.dumps({"file": str(path), "queries": QUERIES}), file=self.process.stdin, flush=True)
        line = self.process.stdout.readline()
        limit.cancel()
        if not line:
            raise ValueError("the trace processor has died")
        answer = json.loads(line)
        if "error" in answer:
            raise ValueError(answer["error"])
        executions, arrows, losses = (result["rows"] for result in answer)
        faults = [f"{name} {value} in the trace processor" for name, value in losses]
        return int(executions[0][0]), int(arrows[0][0]), faults

    def close(self):
        self.process.stdin.close()
        self.process.wait()


def run_traced_again(row, options):
    with tempfile.TemporaryDirectory() as directory:
        return run(row, options, directory, {
            "LD_PRELOAD": options.library, "STARPU_TRACE_PLUGIN": "quiet=1,export=0"})


def outputs_differ(row, options, traced):
    """True only if no traced run says what some untraced run says. Tasks that print at the same time
    may mix their lines now and then, so a difference gets three more chances."""
    if row.output != "same":
        return False
    with_trace, without = set(), set()
    for again in range(4):
        if again:
            traced = run_traced_again(row, options)
        untraced = run_untraced(row, options)
        with_trace.add((traced.stdout, traced.stderr))
        without.add((untraced.stdout, untraced.stderr))
        if with_trace & without:
            return False
    return True


def judge(row, options, trace_processor):
    directory = pathlib.Path(tempfile.mkdtemp(prefix="perseid-suite-"))
    faults = []
    counts = directory / "counts"
    tasks = parts = executions = arrows = 0
    try:
        traced = run(row, options, directory, {
            "LD_PRELOAD": f"{options.library}:{options.counter}",
            "COUNTS_JOBS": str(counts),
            "STARPU_TRACE_PLUGIN": "quiet=1,out=trace-%p.json",
        })
        if traced.returncode != 0:
            faults.append(f"exit code {traced.returncode}")
        if b"perseid:" in traced.stderr:
            line = next(l for l in traced.stderr.splitlines() if b"perseid:" in l)
            faults.append(line.decode(errors="replace"))
        if outputs_differ(row, options, traced):
            faults.append("other output than untraced")
        tasks, parts = read_counts(counts)
        for timeline in directory.glob("trace-*.json"):
            found, with_arrow, not_taken = trace_processor.read(timeline)
            executions += found
            arrows += with_arrow
            faults += not_taken
        if not tasks <= executions <= parts:
            faults.append("executions are not as counted")
        if arrows != executions:
            faults.append("executions without arrow")
    except subprocess.TimeoutExpired:
        faults.append(f"no end after {SECONDS} s")
    except (OSError, ValueError, KeyError) as error:
        faults.append(f"{type(error).__name__}: {error}")
    finally:
        shutil.rmtree(directory, ignore_errors=True)
    return Verdict(row, tasks, parts, executions, arrows, faults)


def print_table(verdicts):
    print(f"{'program':34} {'counted':>9} {'on timeline':>12} {'arrows':>9}  verdict")
    for verdict in verdicts:
        counted = str(verdict.tasks)
        if verdict.parts != verdict.tasks:
            counted += f"-{verdict.parts}"
        print(f"{verdict.row.program:34} {counted:>9} {verdict.executions:>12} "
              f"{verdict.arrows:>9}  {'; '.join(verdict.faults) or 'ok'}")
    good = sum(not verdict.faults for verdict in verdicts)
    print(f"{good} of {len(verdicts)} programs are as they should be")


def main():
    parser = argparse.ArgumentParser()
    for name in ("library", "counter", "examples", "rows", "home", "trace-query",
                 "trace-processor"):
        parser.add_argument(f"--{name}", required=True)
    parser.add_argument("--only", help="programs whose name contains this")
    parser.add_argument("kind", choices=["plain", "device"])
    options = parser.parse_args()
    rows = [row for row in read_rows(options.rows, options.kind)
            if not options.only or options.only in row.program]
    if not rows:
        sys.exit("no such program")
    free = queue.SimpleQueue()
    for _ in range(AT_ONCE):
        free.put(TraceProcessor(options))

    def judge_with_free_processor(row):
        trace_processor = free.get()
        try:
            return judge(row, options, trace_processor)
        finally:
            free.put(trace_processor)

    with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
        verdicts = list(pool.map(judge_with_free_processor, rows))
    for _ in range(AT_ONCE):
        free.get().close()
    print_table(verdicts)
    return 1 if any(verdict.faults for verdict in verdicts) else 0


if __name__ == "__main__":
    sys.exit(main())
