"""The collector against the double of CUPTI: versions, failures, forks, ends. Under sanitizers, too."""

import os
import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "device"))
from device_case import DeviceCase, main, only_with  # noqa: E402

DOUBLE = os.environ["PERSEID_CUPTI_DOUBLE"]
PROGRAM = os.environ["PERSEID_CUDA_PROGRAM"]
REAL = os.environ.get("PERSEID_REAL_CUPTI", "")
VERSIONS = (13, 14, 15, 17, 18, 19, 22, 26, 28, 130001)


class Collector(DeviceCase):
    def setUp(self):
        super().setUp()
        self.environment["PERSEID_CUPTI"] = DOUBLE
        # The library comes before the sanitizer's own; its leak check would also see the host's.
        self.environment["ASAN_OPTIONS"] = "verify_asan_link_order=0:detect_leaks=0"

    def count(self, timeline):
        """Work by category, and how much of it has an arrow from its call."""
        events = self.events(timeline)
        found = {}
        for event in events:
            if event["ph"] == "X" and event["cat"] in ("kernel", "copy", "fill"):
                found[event["cat"]] = found.get(event["cat"], 0) + 1
        return found

    def assert_all_work_is_attributed(self, timeline, threads, launches):
        self.assertEqual(self.count(timeline), {
            "kernel": threads * launches, "copy": 2 * threads * launches, "fill": threads})
        self.assertNotIn("cuda_work_without_call", self.facts(timeline))
        work = [e for e in self.events(timeline) if e.get("cat") in ("kernel", "copy", "fill")]
        calls = [e for e in self.events(timeline) if e.get("cat") == "device call"]
        self.assertEqual(len(calls), len(work))
        # Device times are in the program's own: nothing begins before the first call or after the end.
        begins = [e["ts"] for e in work]
        self.assertGreaterEqual(min(begins), min(e["ts"] for e in calls))
        self.assertLess(max(begins), max(e["ts"] for e in calls) + 1e6)

    def test_every_version_of_cupti_is_read(self):
        for version in VERSIONS:
            with self.subTest(version):
                timeline = self.trace([PROGRAM, "work", "4", "60"], PERSEID_DOUBLE_VERSION=str(version))
                self.assert_all_work_is_attributed(timeline, 4, 60)
                self.assertEqual(self.facts(timeline)["cupti_version"], str(version))
                kernel = next(e for e in self.events(timeline) if e.get("cat") == "kernel")
                self.assertEqual(kernel["name"], "scale<int>")
                self.assertEqual(
                    {k: v for k, v in kernel["args"].items() if k != "origin"},
                    {"grid": "4 x 1 x 1", "block": "64 x 1 x 1", "registers_per_thread": 32,
                     "static_shared_bytes": 48, "dynamic_shared_bytes": 16,
                     "signature": "void scale<int>(int*, int)"})

    def test_memory_and_names_are_read_in_each_layout(self):
        for version in (14, 15, 16, 130001):
            with self.subTest(version):
                counters = {e["name"] for e in self.events(self.trace(
                    [PROGRAM, "memory"], PERSEID_DOUBLE_VERSION=str(version))) if e["ph"] == "C"}
                self.assertEqual("GPU 0 pinned memory bytes" in counters, version >= 15, counters)
                self.assertEqual("GPU 0 memory pool bytes" in counters, version >= 15, counters)
                self.assertEqual("GPU 0 memory pool used bytes" in counters, version >= 16, counters)
                timeline = self.trace([PROGRAM, "names"], settings="nvtx=1", PERSEID_DOUBLE_VERSION=str(version))
                names = {e["args"]["name"] for e in self.events(timeline) if e["name"] == "thread_name"}
                self.assertIn("GPU 0 · Double A100 · solver · physics · stream 8 · halo exchange", names)

    def test_small_buffers_lose_nothing(self):
        timeline = self.trace([PROGRAM, "work", "2", "100"], PERSEID_DOUBLE_BUFFER="1024")
        self.assert_all_work_is_attributed(timeline, 2, 100)

    def test_dropped_records_are_reported(self):
        timeline = self.trace([PROGRAM, "work", "1", "30"], PERSEID_DOUBLE_DROP="5")
        self.assertEqual(self.facts(timeline)["cuda_records_dropped"], "5")
        self.assertIn("no room for 5 records of CUDA devices", self.stderr)
        self.assertEqual([e["args"]["records"] for e in self.events(timeline) if e["name"] == "records dropped"], [5])

    def test_without_our_clock_pairs_serve(self):
        timeline = self.trace(
            [PROGRAM, "work", "2", "40"], PERSEID_DOUBLE_FAIL="cuptiActivityRegisterTimestampCallback:14")
        self.assert_all_work_is_attributed(timeline, 2, 40)

    def assert_untraced_with_one_line(self, text, **variables):
        self.run_both([PROGRAM, "work", "2", "20"], **variables)
        lines = [line for line in self.stderr.splitlines() if "CUDA devices are not traced" in line]
        self.assertEqual(len(lines), 1, self.stderr)
        self.assertIn(text, lines[0])
        for timeline in self.timelines():
            timeline.unlink()

    def test_what_is_impossible_is_reported_once_and_the_program_goes_on(self):
        cases = {
            '"Nsight Systems"': {"PERSEID_DOUBLE_OTHER": "Nsight Systems"},
            "driver": {"PERSEID_DOUBLE_FAIL": "cuptiSubscribe_v2:999"},
            "allow GPU profiling": {"PERSEID_DOUBLE_FAIL": "cuptiSubscribe_v2:35"},
            "another tool": {"PERSEID_DOUBLE_FAIL": "cuptiSubscribe_v2:12"},
            "cuptiGetVersion returned": {"PERSEID_DOUBLE_FAIL": "cuptiGetVersion:1"},
            "cuptiActivityRegisterCallbacks returned": {"PERSEID_DOUBLE_FAIL": "cuptiActivityRegisterCallbacks:1"},
            "is version 12, older": {"PERSEID_DOUBLE_VERSION": "12"},
            'PERSEID_CUPTI="/nowhere/libcupti.so" cannot be loaded': {"PERSEID_CUPTI": "/nowhere/libcupti.so"},
        }
        for text, variables in cases.items():
            with self.subTest(text):
                self.assert_untraced_with_one_line(text, **variables)

    def test_refused_activities_leave_the_calls(self):
        timeline = self.trace([PROGRAM, "work", "1", "10"], PERSEID_DOUBLE_FAIL="cuptiActivityEnable:21")
        self.assertIn("CUPTI refuses", self.stderr)
        self.assertEqual(self.count(timeline), {})
        self.assertEqual(len([e for e in self.events(timeline) if e.get("cat") == "device call"]), 31)

    def test_polling_is_not_recorded(self):
        timeline = self.trace([PROGRAM, "work", "1", "10"])
        self.assertEqual([e for e in self.events(timeline) if "Query" in e["name"]], [])

    def test_only_one_thread_flushes_at_a_time(self):
        timeline = self.trace([PROGRAM, "resets"])
        self.assertEqual(self.count(timeline), {"kernel": 200, "copy": 400, "fill": 100})

    def test_a_cupti_that_cannot_do_without_a_buffer_always_gets_one(self):
        small = {"settings": "ring=64K,memory=1M", "PERSEID_DOUBLE_BUFFER": "1024"}
        timeline = self.trace([PROGRAM, "work", "2", "200"], PERSEID_DOUBLE_VERSION="26", **small)
        self.assertNotIn("cuda_records_dropped", self.facts(timeline))
        self.assertEqual(self.count(timeline), {"kernel": 400, "copy": 800, "fill": 2})
        # From 12.9 on it may be refused one, and counts what it could not write.
        timeline = self.trace([PROGRAM, "work", "2", "200"], **small)
        dropped = int(self.facts(timeline).get("cuda_records_dropped", 0))
        self.assertGreater(dropped, 0)
        self.assertIn(f"no room for {dropped} records", self.stderr)
        self.assertLess(self.count(timeline).get("kernel", 0), 400)

    def test_children_never_call_cupti(self):
        self.run_both([PROGRAM, "fork"])

    def test_an_exit_in_the_middle_of_work_is_clean(self):
        for _ in range(5):
            self.run_both([PROGRAM, "exits"])
            timeline, = self.timelines()
            self.assertGreater(self.count(timeline).get("kernel", 0), 0)
            timeline.unlink()

    def test_off_means_that_cupti_is_not_even_loaded(self):
        self.run_both([PROGRAM, "work", "1", "5"], settings="cuda=0", PERSEID_DOUBLE_FAIL="cuptiGetVersion:1")
        self.assertEqual(self.stderr, "")
        self.assertEqual(self.timelines(), [])

    def test_the_variable_of_another_tool_is_left_alone(self):
        self.run_both([PROGRAM, "work", "1", "5"], CUDA_INJECTION64_PATH="/nowhere/libtool.so")
        self.assertEqual(self.timelines(), [])


@only_with("PERSEID_FAKE_OPENMP" in os.environ, "the OpenMP runtime of tests/run/openmp")
class LateStart(DeviceCase):
    """The driver's variable belongs to another tool; OpenMP finds a device."""

    def test_a_device_of_openmps_starts_the_collector(self):
        self.environment.update(
            PERSEID="on", PERSEID_CUPTI=DOUBLE, CUDA_INJECTION64_PATH="/nowhere/libtool.so",
            LD_PRELOAD=os.environ["PERSEID_FAKE_CUDA"], ASAN_OPTIONS="verify_asan_link_order=0:detect_leaks=0")
        result = self.run_program([os.environ["PERSEID_FAKE_OPENMP"], os.environ["PERSEID_LIBRARY"]])
        self.assertEqual(result.stdout, "done\n", result.stderr)
        timeline, = self.timelines()
        self.assertEqual(self.facts(timeline)["cupti_version"], "130001")

    def test_without_cuda_in_the_process_nothing_is_loaded(self):
        self.environment.update(
            PERSEID="on", PERSEID_CUPTI="/nowhere/libcupti.so",
            ASAN_OPTIONS="verify_asan_link_order=0:detect_leaks=0")
        result = self.run_program([os.environ["PERSEID_FAKE_OPENMP"], os.environ["PERSEID_LIBRARY"]])
        self.assertEqual(result.stdout, "done\n", result.stderr)
        self.assertNotIn("CUDA", result.stderr)


@unittest.skipUnless(REAL, "no CUDA toolkit is installed")
class RealLibrary(DeviceCase):
    """NVIDIA's libcupti, on a machine that may have no driver."""

    def test_a_library_without_a_driver_is_one_line(self):
        self.environment["ASAN_OPTIONS"] = "verify_asan_link_order=0:detect_leaks=0"
        self.run_both([PROGRAM, "work", "1", "5"], PERSEID_CUPTI=REAL)
        if "CUDA devices are not traced" not in self.stderr:
            self.assertEqual(len(self.timelines()), 1)  # there is a driver: it subscribed
            return
        self.assertEqual(self.stderr.count("CUDA devices are not traced"), 1)
        self.assertIn("cuptiSubscribe_v2 returned", self.stderr)


main()
