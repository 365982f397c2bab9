"""What makes a timeline easy to read: the order of rows, colours, and the job above its processes."""

import collections
import json
import os
import pathlib
import re
import subprocess
import unittest

from formats_case import FormatsCase, LOSSES, ask

OPENMP = pathlib.Path(os.environ["PERSEID_OPENMP_PROGRAMS"])
STARPU = pathlib.Path(os.environ["PERSEID_STARPU_PROGRAMS"])
MPI_PROGRAM = os.environ["PERSEID_MPI_PROGRAM"]
TORTURE = os.environ["PERSEID_MAKE_TORTURE"]

QUIET = "waiting or idle"
COLOURS = ("select category, name, extract_arg(arg_set_id, 'correlation_id') from slice "
           "where category is not null")
ROW = ("from slice s join thread_track tt on s.track_id = tt.id join thread t using (utid) "
       "join process p using (upid) ")


def is_wait(category):
    return category == "idle" or category.endswith("wait")


class Readability(FormatsCase):
    def rows(self, timeline):
        """Names of threads' rows from top to bottom, as the file's own places say."""
        lanes = self.perseid("check", timeline).stdout.split("lanes\n")[1].splitlines()
        found = (re.match(r" +\d+  (.*?)(, \d+ of them instants)?$", line) for line in lanes)
        threads, = ask(timeline, "select distinct name from thread where name is not null")
        return [match[1] for match in found if match and [match[1]] in threads]

    def record_ranks(self):
        self.environment.update(
            OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1", OMPI_MCA_mpi_yield_when_idle="1")
        self.perseid(
            "run", "--set", "export=0", "-o", "rank-%r.json", "--", "mpirun.openmpi", "--oversubscribe", "-np", "2",
            MPI_PROGRAM)
        return sorted(self.here.glob("rank-*.capture"))

    def merge(self, captures):
        files = {f: self.here / f"job.{f}" for f in ("json", "pftrace")}
        for file in files.values():
            self.perseid("merge", "-o", file, *captures)
        return files

    def test_a_thread_that_submits_stands_above_the_workers_and_others_below(self):
        self.environment["STARPU_NCPU"] = "2"
        files = self.export(self.record(STARPU / "named_tasks"), formats=("json", "pftrace"))
        in_json, in_protobuf = (self.rows(files[f]) for f in ("json", "pftrace"))
        self.assertEqual(in_json, in_protobuf)
        kinds = [re.match(r"StarPU|named_tasks|CPU|thread", row)[0] for row in in_json]
        self.assertEqual(kinds, ["StarPU", "named_tasks", "CPU", "CPU", "thread"])
        # What the reader makes of JSON's places; of protobuf's it does so from version 57 on.
        shown, = ask(files["json"], "select t.name from thread t join args a on t.arg_set_id = a.arg_set_id "
                                    "where a.key = 'thread_sort_index_hint' order by a.int_value")
        self.assertEqual([name for name, in shown], ["Run", *in_json])

    def test_the_initial_thread_of_openmp_stays_the_first_of_its_threads(self):
        files = self.export(self.record(OPENMP / "constructs"), formats=("json", "pftrace"))
        rows = self.rows(files["json"])
        self.assertEqual(rows, self.rows(files["pftrace"]))
        self.assertTrue(rows[0].startswith("constructs"), rows)

    def check_waits_are_quiet(self, files):
        """All waits have one colour that nothing else has; returns how many there are."""
        rows, = ask(files["pftrace"], COLOURS)
        for category, name, colour in rows:
            self.assertEqual(colour == QUIET, is_wait(category), (category, name, colour))
        events = [e for e in json.loads(files["json"].read_text())["traceEvents"] if e["ph"] in "XBi"]
        for event in events:
            quiet = "thread_state_sleeping" if is_wait(event["cat"]) else None
            self.assertEqual(event.get("cname"), quiet, event)
        waits = sum(is_wait(e["cat"]) for e in events)
        self.assertEqual(waits, sum(colour == QUIET for _, _, colour in rows))
        return waits

    def test_waits_of_starpu_are_quiet(self):
        files = self.export(self.record(STARPU / "named_tasks"), formats=("json", "pftrace"))
        self.assertGreaterEqual(self.check_waits_are_quiet(files), 2)

    def test_waits_of_openmp_are_quiet(self):
        files = self.export(self.record(OPENMP / "constructs"), formats=("json", "pftrace"))
        self.assertGreater(self.check_waits_are_quiet(files), 10)

    def test_a_task_with_its_own_name_has_the_colour_of_its_codelet_in_every_run(self):
        colours = []
        for run in ("first", "second"):
            files = self.export(self.record(STARPU / "named_tasks"), name=run, formats=("json", "pftrace"))
            rows, = ask(files["pftrace"], COLOURS)
            colours.append({name: colour for category, name, colour in rows if category == "task"})
            for path in self.here.glob("run.capture/*"):
                path.unlink()
            (self.here / "run.capture").rmdir()
        self.assertEqual(colours[0], {"zero": "even", "one": "odd", "two": "even", "three": "odd",
                                      "four": "even", "five": "odd"})
        self.assertEqual(colours[0], colours[1])

    def test_openmp_tasks_are_called_after_their_function(self):
        """The page colours by the name without its digits: what is left is function and file."""
        files = self.export(self.record(OPENMP / "constructs"), formats=("json", "pftrace"))
        for file in files.values():
            names, = ask(file, "select distinct name from slice where category = 'openmp.task'")
            self.assertGreater(len(names), 3)
            for name, in names:
                self.assertRegex(re.sub(r" ?\d+", "", name), r"^\w+ \(constructs\.cpp:\)$")

    def test_a_job_stands_above_its_ranks(self):
        files = self.merge(self.record_ranks())
        rows = self.rows(files["json"])
        self.assertEqual(rows, self.rows(files["pftrace"]))
        self.assertRegex(" | ".join(rows), r"^rank 0 · \S+ \| rank 1 · \S+ \| Run \|.* messages .*\| Run \|.* messages ")
        for f, file in files.items():
            job, ranks, runs, whole, waits, losses = ask(
                file,
                "select t.name, s.name, s.ts, s.ts + s.dur, p.name " + ROW + "where p.pid = 1 order by t.tid",
                "select s.ts, s.ts + s.dur, extract_arg(s.arg_set_id, 'debug.end'), "
                "extract_arg(s.arg_set_id, 'args.end') " + ROW + "where p.pid = 1 and t.name like 'rank %' "
                "order by t.name",
                "select s.ts, s.ts + s.dur " + ROW + "where t.name = 'Run' and s.depth = 0 order by p.pid",
                "select min(ts), max(ts + dur) from slice",
                "select count(*) from slice where category = 'mpi.wait' and name like 'MPI_Wait%'", LOSSES)
            self.assertEqual(losses, [])
            self.assertEqual([row[0] for row in job[:1]], ["Job"])
            self.assertEqual(job[0][1], "messages: 2 ranks on 1 host")
            self.assertEqual(job[0][2:4], whole[0])
            self.assertEqual(job[0][4], "Job · messages")
            self.assertEqual([row[:2] for row in ranks], runs, "a rank's row covers its run")
            self.assertEqual({end for row in ranks for end in row[2:]} - {None}, {"finished"})
            self.assertGreater(int(waits[0][0]), 0)
            # A run of a rank begins with the rank, not with the machine's clock.
            self.assertLess(int(whole[0][1]) - int(whole[0][0]), 120 * 10**9)
        self.check_waits_are_quiet(files)

    def test_the_timeline_of_one_rank_has_no_job_and_files_of_ranks_can_be_put_together(self):
        captures = self.record_ranks()
        parts = [self.export(c, name=c.stem, formats=("pftrace",))["pftrace"] for c in captures]
        both = self.here / "both.pftrace"
        both.write_bytes(b"".join(part.read_bytes() for part in parts))
        losses, rows = ask(both, LOSSES, "select p.name, count(*) " + ROW + "where t.name = 'Run' group by 1 order by 1")
        self.assertEqual(losses, [])
        self.assertEqual([re.sub(r" · .*", "", name) for name, _ in rows], ["rank 0 of 2", "rank 1 of 2"])
        for part in parts:
            self.assertFalse([row for row in self.rows(part) if row.startswith("rank ")])

    def test_a_loss_is_marked_where_it_was_and_on_the_first_row(self):
        capture = self.here / "1.capture"
        self.run_torture(capture)
        spool = capture / "spool"
        damaged = bytearray(spool.read_bytes())
        middle = len(damaged) // 2
        damaged[middle:middle + 64] = bytes(64)
        spool.write_bytes(damaged)
        for file in self.export(capture).values():
            marks, = ask(file, "select s.name, s.ts, t.name = 'Run' " + ROW +
                         "where s.category = 'perseid' and (s.name like '% lost' or s.name like '%unreadable%') "
                         "and s.dur <= 0 order by 1, 2, 3")
            places = collections.defaultdict(list)
            for name, at, is_first_row in marks:
                places[name, at].append(is_first_row)
            self.assertEqual({name for name, _ in places}, {"17 events lost", "records unreadable"})
            for place, on in places.items():
                self.assertEqual(sorted(set(on)), ["0", "1"], place)

    def run_torture(self, capture):
        subprocess.run([TORTURE, str(capture), "1"], check=True)


if __name__ == "__main__":
    unittest.main(verbosity=2)
