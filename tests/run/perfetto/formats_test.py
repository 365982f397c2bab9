"""All formats say the same of captures of every runtime, and of one made to be hard."""

import json
import os
import pathlib
import subprocess
import unittest

from formats_case import FormatsCase, LOSSES, ask

EXAMPLES = pathlib.Path(os.environ["PERSEID_EXAMPLES"])
OPENMP = pathlib.Path(os.environ["PERSEID_OPENMP_PROGRAMS"])
TORTURE = os.environ["PERSEID_MAKE_TORTURE"]
OPENCL_PROGRAM = os.environ["PERSEID_OPENCL_PROGRAM"]
CUDA_PROGRAM = os.environ["PERSEID_CUDA_PROGRAM"]
CUPTI_DOUBLE = os.environ["PERSEID_CUPTI_DOUBLE"]
MPI_PROGRAM = os.environ["PERSEID_MPI_PROGRAM"]


class Formats(FormatsCase):
    def torture(self, seed):
        subprocess.run([TORTURE, str(self.here / f"{seed}.capture"), str(seed)], check=True)
        return self.here / f"{seed}.capture"

    def test_annotations(self):
        said = self.expect_same(self.export(self.record(EXAMPLES / "annotated")))
        self.assertGreater(len(said["slices"]), 1000)
        self.assertGreater(len(said["arrows"]), 50)
        self.assertGreater(len(said["counters"]), 50)
        self.assertGreater(len(said["arguments"]), 200)

    def test_starpu(self):
        program = EXAMPLES / "starpu_cholesky"
        if not program.exists():
            self.fail("examples/starpu_cholesky was not built: StarPU is missing")
        said = self.expect_same(self.export(self.record(program)))
        self.assertGreater(len(said["arrows"]), 50)
        self.assertGreater(len(said["counters"]), 20)

    def test_openmp(self):
        said = self.expect_same(self.export(self.record(OPENMP / "constructs")))
        self.assertGreater(len(said["slices"]), 100)
        self.assertGreater(len(said["arrows"]), 10)

    def test_opencl(self):
        said = self.expect_same(self.export(self.record("--set", "opencl=on", "--", OPENCL_PROGRAM)))
        self.assertGreater(len(said["arrows"]), 5)
        self.assertGreater(len(said["arguments"]), 20)

    def test_cuda(self):
        self.environment["PERSEID_CUPTI"] = CUPTI_DOUBLE
        said = self.expect_same(self.export(self.record("--set", "nvtx=1", "--", CUDA_PROGRAM, "kinds")))
        self.assertGreater(len(said["arrows"]), 3)
        self.assertGreater(len(said["counters"]), 2)

    def test_ranks_of_a_job(self):
        self.environment.update(
            OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1", OMPI_MCA_mpi_yield_when_idle="1")
        self.perseid(
            "run", "--set", "export=0", "-o", "rank-%r.json", "--", "mpirun.openmpi", "--oversubscribe", "-np", "2",
            MPI_PROGRAM)
        captures = sorted(self.here.glob("rank-*.capture"))
        self.assertEqual(len(captures), 2)
        files = {f: self.here / f"job.{f}" for f in ("json", "pftrace")}
        for file in files.values():
            self.perseid("merge", "-o", file, *captures)
        said = self.expect_same(files)
        processes = [row for row in said["processes"] if row[0] != "0"]  # 0 is the trace processor's own
        self.assertEqual([name.split(" ")[0] for _, name in processes], ["Job", "rank", "rank"])
        self.assertGreater(len(said["arrows"]), 5)

    def test_torture(self):
        for seed in (1, 2, 3):
            said = self.expect_same(self.export(self.torture(seed), name=str(seed)))
            self.assertGreater(len(said["slices"]), 3000)
            self.assertGreater(len(said["arrows"]), 100)
            self.assertGreater(len({row[0] for row in said["slices"]}), 200)

    def test_a_protobuf_file_that_is_cut_short_opens_up_to_the_cut(self):
        whole = self.export(self.torture(1))["pftrace"]
        bytes_ = whole.read_bytes()
        (((total,),),) = ask(whole, "select count(*) from slice")
        before = 0
        for share in (0.3, 0.6, 0.9):
            part = self.here / "part.pftrace"
            part.write_bytes(bytes_[:int(len(bytes_) * share)])
            losses, ((slices,),), ((nameless,),) = ask(
                part, "select name from stats where severity in ('error', 'data_loss') and value != 0",
                "select count(*) from slice", "select count(*) from slice where name is null")
            self.assertEqual(losses, [])
            self.assertEqual(nameless, "0")
            self.assertGreater(int(slices), before)
            before = int(slices)
        self.assertGreater(int(total), before)

    def test_protobuf_files_one_behind_the_other_are_one_timeline(self):
        query = "select count(*) from flow", "select count(*) from slice"
        first = self.export(self.torture(1), name="a")["pftrace"]
        second = self.export(self.record(EXAMPLES / "annotated"), name="b")["pftrace"]
        both = self.here / "both.pftrace"
        both.write_bytes(second.read_bytes() + first.read_bytes())
        losses, *joined = ask(both, LOSSES, *query)
        self.assertEqual(losses, [])
        for mine, a, b in zip(joined, ask(first, *query), ask(second, *query)):
            self.assertEqual(int(mine[0][0]), int(a[0][0]) + int(b[0][0]))

    def test_counters_have_their_units_and_lanes_their_groups(self):
        trace = self.export(self.torture(1))["pftrace"]
        units, groups = ask(
            trace, "select distinct name, unit from counter_track order by name",
            "select p.name, count(distinct t.name) from track t join track p on t.parent_id = p.id "
            "group by 1 order by 1")
        self.assertEqual(units, [["load", None], ["ready", "tasks"]])
        self.assertEqual(groups, [["Counters", "2"], ["Lanes", "200"]])

    def test_the_json_keeps_the_rules_of_other_readers(self):
        timeline = json.loads(self.export(self.torture(2))["json"].read_text())
        open_at = {}
        for event in timeline["traceEvents"]:
            self.assertIn(event["ph"], "XBEisfCM")
            self.assertIsInstance(event["pid"], int)
            if event["ph"] != "C":
                self.assertGreater(event["tid"], 0)
            if event["ph"] != "M":
                self.assertGreaterEqual(event["ts"], 0)
            if event["ph"] == "X":
                self.assertGreaterEqual(event["dur"], 0)
            if event["ph"] == "f":
                self.assertEqual(event["bp"], "e")
            if event["ph"] in "BE":
                key = (event["pid"], event["tid"])
                open_at[key] = open_at.get(key, 0) + (1 if event["ph"] == "B" else -1)
        self.assertEqual(set(open_at.values()) - {0}, set())

    def test_losses_and_damage_show_on_the_first_row(self):
        capture = self.torture(1)
        spool = capture / "spool"
        damaged = bytearray(spool.read_bytes())
        middle = len(damaged) // 2
        damaged[middle:middle + 64] = bytes(64)
        spool.write_bytes(damaged)
        files = self.export(capture)
        query = ("select s.name from slice s join thread_track t on s.track_id = t.id join thread using (utid) "
                 "where thread.name = 'Run' order by s.ts, s.dur desc")
        for f in ("json", "pftrace"):
            rows, = ask(files[f], query)
            names = [row[0] for row in rows]
            self.assertIn("damage", names[0])
            self.assertIn("lost", names[0])
            self.assertIn("17 events lost", names)
            self.assertIn("records unreadable", names)


if __name__ == "__main__":
    unittest.main(verbosity=2)
