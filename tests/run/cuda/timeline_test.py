"""CUDA's picture as the real trace processor sees it: rows, arrows, arguments, counters."""

import os
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "device"))
from device_case import DeviceCase, main, only_with  # noqa: E402

PROGRAM = os.environ["PERSEID_CUDA_PROGRAM"]
STARPU_PROGRAM = os.environ.get("PERSEID_STARPU_PROGRAM", "")
OPENMP_PROGRAM = os.environ.get("PERSEID_OPENMP_PROGRAM", "")
CHAIN = (
    "select distinct t.name, c.name, k.name, count(1) from flow f1 join slice t on f1.slice_out = t.id "
    "join slice c on f1.slice_in = c.id join flow f2 on f2.slice_out = c.id "
    "join slice k on f2.slice_in = k.id where k.category = 'kernel' group by 1, 2, 3")


class CudaCase(DeviceCase):
    def setUp(self):
        super().setUp()
        self.environment["PERSEID_CUPTI"] = os.environ["PERSEID_CUPTI_DOUBLE"]


class Picture(CudaCase):
    def test_each_kind_of_record_has_its_place(self):
        timeline = self.trace([PROGRAM, "kinds"], settings="nvtx=1")
        rows, work, copies, counters, errors, launches = self.ask(
            timeline,
            "select distinct t.name from thread t join thread_track tt using (utid) join slice s "
            "on s.track_id = tt.id where t.name glob 'GPU*' or t.name in ('CUPTI', 'NVTX') order by 1",
            "select s.name, s.category, count(1) from slice s where s.category in "
            "('kernel', 'copy', 'fill', 'overhead', 'nvtx') group by 1, 2 order by 1",
            "select a.key, a.display_value from slice s join args a using (arg_set_id) "
            "where s.name = 'copy peer → peer' and a.key in ('args.bytes', 'args.from_device', 'args.to_device', "
            "'args.from_memory', 'args.asynchronous', 'args.gigabytes_per_second') order by 1",
            "select t.name, max(c.value), min(c.value) from counter c join counter_track t on c.track_id = t.id "
            "group by t.name order by t.name",
            "select s.name, a.display_value from slice s join args a using (arg_set_id) where a.key = 'args.error'",
            "select o.name, count(1) from flow f join slice o on f.slice_out = o.id join slice i "
            "on f.slice_in = i.id where i.category = 'kernel' group by 1 order by 1")
        self.assertEqual(rows, [
            ["CUPTI"], ["GPU 0 · Double A100 · stream 7 (default)"], ["GPU 0 · Double A100 · synchronisation"],
            ["NVTX"]])
        self.assertEqual(work, [
            ["copy host → device", "copy", "1"], ["copy peer → peer", "copy", "1"],
            ["module is loaded", "overhead", "1"], ["scale<int>", "kernel", "4"], ["set memory", "fill", "1"],
            ["solve", "nvtx", "1"]])
        self.assertEqual([[key, value.removesuffix(".0")] for key, value in copies], [
            ["args.asynchronous", "true"], ["args.bytes", "1024"], ["args.from_device", "0"],
            ["args.from_memory", "device"], ["args.gigabytes_per_second", "1"], ["args.to_device", "1"]])
        self.assertEqual(counters, [
            ["GPU 0 busy value", "1", "0"], ["GPU 0 device memory bytes value", "2048", "0"]])
        self.assertEqual(errors, [["cudaLaunchKernel", "1"]])
        self.assertEqual(launches, [["cuLaunchKernel", "1"], ["cudaGraphLaunch", "3"]])
        self.assertEqual(self.facts(timeline)["cupti_unknown_records_of_kind_222"], "1")

    def counters_of(self, timeline):
        """The values of each counter but the busy ones, in order of time."""
        values, = self.ask(
            timeline,
            "select t.name, cast(c.value as int) from counter c join counter_track t on c.track_id = t.id "
            "where t.name not glob '* busy value' order by c.ts, c.id")
        found = {}
        for name, value in values:
            found.setdefault(name.removesuffix(" value"), []).append(int(value))
        return found

    def test_memory_and_pools_are_counted_in_every_layout(self):
        memory = {
            "GPU 0 device memory bytes": [1000, 4000, 9000, 6000, 1000, 0],
            "GPU 0 pinned memory bytes": [500, 0],
            "GPU 0 memory pool bytes": [4096, 12288, 8192, 0],
        }
        used = {"GPU 0 memory pool used bytes": [3000, 8000, 5000, 0]}
        # CUPTI tells memory since 11.2, what is in use of a pool since 11.5; 12.8 added members again.
        for version, expected in {"14": {}, "15": memory, "16": memory | used, "130001": memory | used}.items():
            with self.subTest(version):
                timeline = self.trace([PROGRAM, "memory"], PERSEID_DOUBLE_VERSION=version)
                self.assertEqual(self.counters_of(timeline), expected)
                self.assertNotIn("cuda_records_dropped", self.facts(timeline))

    def test_the_programs_names_and_ranges_are_shown(self):
        for version in ("15", "130001"):
            with self.subTest(version):
                timeline = self.trace([PROGRAM, "names"], settings="nvtx=1", PERSEID_DOUBLE_VERSION=version)
                rows, ranges, facts = self.ask(
                    timeline,
                    "select t.name, count(1) from slice s join thread_track tt on s.track_id = tt.id "
                    "join thread t using (utid) where s.category = 'copy' group by 1 order by 1",
                    "select s.name, s.dur from slice s join thread_track tt on s.track_id = tt.id join thread t "
                    "using (utid) where s.category = 'nvtx' and t.name glob 'NVTX*' order by s.ts",
                    "select s.name, a.key, a.display_value from slice s join args a using (arg_set_id) "
                    "where s.category = 'nvtx' and a.key in ('args.domain', 'args.unfinished') order by s.ts, a.key")
                self.assertEqual(rows, [
                    ["GPU 0 · Double A100 · solver · physics · stream 7 (default)", "1"],
                    ["GPU 0 · Double A100 · solver · physics · stream 8 · halo exchange", "1"],
                    ["GPU 0 · Double A100 · solver · physics · stream 9 · output", "1"]])
                self.assertEqual([name for name, _ in ranges], ["solve", "converged", "still writing"])
                self.assertEqual([duration for _, duration in ranges[:2]], ["2000", "0"])
                self.assertEqual(facts, [
                    ["solve", "args.domain", "test"], ["converged", "args.domain", "test"],
                    ["still writing", "args.domain", "test"], ["still writing", "args.unfinished", "true"]])

    def test_without_nvtx_rows_have_the_names_of_cuda(self):
        timeline = self.trace([PROGRAM, "names"])
        rows, ranges = self.ask(
            timeline,
            "select distinct t.name from slice s join thread_track tt on s.track_id = tt.id "
            "join thread t using (utid) where s.category = 'copy' order by 1",
            "select count(1) from slice where category = 'nvtx'")
        self.assertEqual(rows, [[f"GPU 0 · Double A100 · stream {name}"] for name in ("7 (default)", "8", "9")])
        self.assertEqual(ranges, [["0"]])

    def test_graphs_can_be_one_slice_each(self):
        timeline = self.trace([PROGRAM, "kinds"], settings="cuda=graphs")
        graphs, = self.ask(timeline, "select name, count(1) from slice where name = 'graph' group by 1")
        self.assertEqual(graphs, [["graph", "1"]])

    def test_streams_have_rows_and_nothing_overlaps(self):
        timeline = self.trace([PROGRAM, "work", "4", "100"])
        rows, overlaps = self.ask(
            timeline,
            "select t.name, count(1) from slice s join thread_track tt on s.track_id = tt.id join thread t "
            "using (utid) where s.category in ('kernel', 'copy', 'fill') group by 1 order by 1",
            "select count(1) from slice a join slice b on a.track_id = b.track_id and a.id < b.id "
            "where a.category = 'kernel' and b.category = 'kernel' and a.ts < b.ts + b.dur and b.ts < a.ts + a.dur")
        self.assertEqual([count for _, count in rows], ["301"] * 4, rows)
        self.assertTrue(all(name.startswith("GPU ") and " · stream " in name for name, _ in rows), rows)
        self.assertEqual(overlaps, [["0"]])


class Tasks(CudaCase):
    @only_with(STARPU_PROGRAM, "StarPU")
    def test_kernels_are_under_starpus_tasks(self):
        self.environment.update(
            STARPU_HOME=os.environ.get("PERSEID_STARPU_HOME", ""), STARPU_NCPU="2", STARPU_NOPENCL="0",
            STARPU_SILENT="1")
        timeline = self.trace([STARPU_PROGRAM])
        chain, tasks = self.ask(
            timeline, CHAIN,
            "select count(distinct a.display_value) from slice s join args a using (arg_set_id) "
            "where s.category = 'kernel' and a.key = 'args.task'")
        self.assertEqual(chain, [["increase", "cudaLaunchKernel", "increment", "20"]])
        self.assertEqual(tasks, [["20"]])

    @only_with(OPENMP_PROGRAM, "clang++ with libomp")
    def test_kernels_are_under_openmps_tasks(self):
        timeline = self.trace([OPENMP_PROGRAM])
        chain, = self.ask(timeline, CHAIN)
        self.assertEqual([row[1:] for row in chain], [["cudaLaunchKernel", "increment", "10"]])
        self.assertRegex(chain[0][0], r"openmp_cuda\.cpp:\d+")


main()
