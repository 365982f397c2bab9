"""OpenCL commands on PoCL: what the program computes, and what the real trace processor sees."""

import os
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "device"))
from device_case import TOOL, DeviceCase, main, only_with  # noqa: E402

PROGRAM = os.environ["PERSEID_OPENCL_PROGRAM"]
STARPU_PROGRAM = os.environ.get("PERSEID_STARPU_PROGRAM", "")
STARPU_EXAMPLES = os.environ.get("PERSEID_STARPU_EXAMPLES", "")
STARPU_HOME = os.environ.get("PERSEID_STARPU_HOME", "")
ON_POCL = {"STARPU_OPENCL_ON_CPUS": "1", "STARPU_NOPENCL": "1", "STARPU_NCPU": "1", "STARPU_SILENT": "1"}


class Commands(DeviceCase):
    def test_each_kind_of_command_is_on_its_queue(self):
        timeline = self.trace([PROGRAM, "2"], settings="opencl=on")
        work, calls, waits = self.ask(
            timeline,
            "select s.name, s.category, count(1), min(s.dur >= 0), min(t.name glob 'OpenCL device 0 * queue 1*') "
            "from slice s join thread_track tt on s.track_id = tt.id join thread t using (utid) "
            "where s.category in ('kernel', 'copy', 'fill', 'device') group by 1, 2 order by 1",
            "select name, count(1) from slice where category = 'device call' group by 1 order by 1",
            "select name, count(1) from slice where category = 'device wait' group by 1 order by 1")
        self.assertEqual(work, [
            ["add_plane", "kernel", "2", "1", "1"],
            ["barrier", "device", "2", "1", "1"],
            ["copy buffer", "copy", "2", "1", "1"],
            ["copy rectangle", "copy", "2", "1", "1"],
            ["fill buffer", "fill", "2", "1", "1"],
            ["map buffer", "copy", "2", "1", "1"],
            ["marker", "device", "2", "1", "1"],
            ["read buffer", "copy", "2", "1", "1"],
            ["read image", "copy", "2", "1", "1"],
            ["scale", "kernel", "302", "1", "1"],
            ["unmap", "copy", "2", "1", "1"],
            ["write buffer", "copy", "2", "1", "1"],
            ["write image", "copy", "2", "1", "1"]])
        self.assertEqual(sum(int(count) for _, count in calls), 327, calls)  # one of them fails
        self.assertEqual(waits, [["clFinish", "3"], ["clWaitForEvents", "2"]])

    def test_arrows_lead_from_calls_to_work_and_arguments_show_sizes(self):
        timeline = self.trace([PROGRAM], settings="opencl=on")
        arrows, early, arguments, errors, busy = self.ask(
            timeline,
            "select o.name, i.name, count(1) from flow f join slice o on f.slice_out = o.id "
            "join slice i on f.slice_in = i.id where i.name in ('scale', 'write buffer') group by 1, 2 order by 2",
            "select count(1) from flow f join slice o on f.slice_out = o.id join slice i on f.slice_in = i.id "
            "where i.ts < o.ts",
            "select s.name, a.key, a.display_value from slice s join args a using (arg_set_id) "
            "where s.category in ('kernel', 'copy') and s.name in ('add_plane', 'copy rectangle') "
            "and a.key in ('args.global_size', 'args.bytes', 'args.origin') order by 1, 2",
            "select s.name, a.display_value from slice s join args a using (arg_set_id) where a.key = 'args.error'",
            "select max(c.value) from counter c join counter_track t on c.track_id = t.id "
            "where t.name glob 'OpenCL device 0 busy*'")
        self.assertEqual(arrows, [
            ["clEnqueueNDRangeKernel", "scale", "301"], ["clEnqueueWriteBuffer", "write buffer", "1"]])
        self.assertEqual(early, [["0"]])
        self.assertEqual(arguments, [
            ["add_plane", "args.global_size", "256 x 4"], ["add_plane", "args.origin", "program"],
            ["copy rectangle", "args.bytes", "1024"], ["copy rectangle", "args.origin", "program"]])
        self.assertEqual(errors, [["clEnqueueNDRangeKernel", "-53"]])
        self.assertGreaterEqual(float(busy[0][0]), 1)

    def test_a_program_without_starpu_is_recorded_only_when_asked_for(self):
        self.run_both([PROGRAM], settings="on")
        self.assertEqual(self.timelines(), [])
        self.assertIn("set opencl=on to record its commands", self.stderr)

    def test_perseid_run_gives_that_as_the_one_reason(self):
        run = self.run_program([TOOL, "run", "--", PROGRAM])
        self.assertRegex(run.stderr, r"^perseid: nothing was recorded: opencl_commands uses OpenCL .*opencl=on.*\n$")

    def test_leaving_with_commands_in_the_queue_is_clean(self):
        for _ in range(5):
            timeline = self.trace([PROGRAM, "exit"], settings="opencl=on")
            self.assertGreaterEqual(timeline.read_text().count('"clEnqueueNDRangeKernel"'), 40)

    def test_off_leaves_no_layer(self):
        self.run_both([PROGRAM], settings="opencl=off")
        self.assertEqual(self.timelines(), [])
        self.assertEqual(self.stderr, "")


@only_with(STARPU_PROGRAM, "StarPU or its examples")
class Starpu(DeviceCase):
    def setUp(self):
        super().setUp()
        self.environment.update(ON_POCL, STARPU_HOME=STARPU_HOME)

    def test_a_kernel_is_under_the_task_that_launched_it(self):
        timeline = self.trace([STARPU_PROGRAM])
        chain, kernel, copies = self.ask(
            timeline,
            "select t.name, c.name, k.name from flow f1 join slice t on f1.slice_out = t.id "
            "join slice c on f1.slice_in = c.id join flow f2 on f2.slice_out = c.id "
            "join slice k on f2.slice_in = k.id where t.category = 'task'",
            "select a.key, a.display_value from slice s join args a using (arg_set_id) "
            "where s.category = 'kernel' and a.key in ('args.task_name', 'args.task', 'args.origin') order by 1",
            "select distinct s.name, a.display_value from slice s join args a using (arg_set_id) "
            "where s.category = 'copy' and a.key = 'args.origin' order by 1")
        self.assertEqual(chain, [["scale", "clEnqueueNDRangeKernel", "scale"]])
        self.assertEqual(kernel, [["args.origin", "task"], ["args.task", "1"], ["args.task_name", "scale"]])
        self.assertEqual(copies, [["read buffer", "StarPU"], ["write buffer", "StarPU"]])

    def test_debians_examples_compute_the_same_and_show_their_kernels(self):
        expected = {
            "incrementer": ["incrementer", "increment"], "vector_scal": ["vector_mult_opencl", "vector_scal"],
            "block": ["block", "block_scale"], "variable": ["variable", "variable_inc"]}
        for name, (kernel, task) in expected.items():
            with self.subTest(name):
                timeline = self.trace(
                    [f"{STARPU_EXAMPLES}/{name}"], compares_output=name != "incrementer", STARPU_NCPU="0")
                kernels, executions = self.ask(
                    timeline,
                    "select s.name, a.display_value, count(1) from slice s join args a "
                    "on s.arg_set_id = a.arg_set_id and a.key = 'args.task_name' where s.category = 'kernel' "
                    "group by 1, 2",
                    "select count(1) from slice where category = 'task' and name = '" + task + "'")
                self.assertEqual(kernels, [[kernel, task, executions[0][0]]])


main()
