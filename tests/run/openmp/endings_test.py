"""However a program ends, it ends as it would without us, and what it did is in the timeline."""

import pathlib
import signal

from openmp_case import LIBRARY, PERSEID, PROGRAMS, OpenmpCase, Timeline, lines_of, main


class Endings(OpenmpCase):
    def tasks_after(self, way, *words, status=0):
        timeline = self.trace("endings", way, *words, status=status)
        self.assert_slices_nest(timeline)
        return timeline.count("openmp.task")

    def test_return(self):
        self.assertEqual(self.tasks_after("return"), 10)

    def test_exit(self):
        self.assertEqual(self.tasks_after("exit", status=4), 10)

    def test_exit_inside_a_task(self):
        self.assertEqual(self.tasks_after("exit_in_task", status=3), 11)

    def test_quick_exit(self):
        self.assertEqual(self.tasks_after("quick_exit", status=5), 10)

    def test_region_in_an_exit_handler(self):
        self.assertEqual(self.tasks_after("atexit"), 20)

    def test_region_in_a_destructor(self):
        self.assertEqual(self.tasks_after("destructor"), 20)

    def test_soft_pause(self):
        self.assertEqual(self.tasks_after("pause_soft"), 20)

    def test_hard_pause_ends_the_runtimes_interest_in_tools(self):
        self.assertEqual(self.tasks_after("pause_hard"), 10)

    def test_second_initial_thread(self):
        self.assertEqual(self.tasks_after("new_thread"), 20)

    def test_thread_after_the_runtime_has_ended(self):
        self.assertEqual(self.tasks_after("thread_after_pause"), 10)

    def test_new_thread_in_an_exit_handler(self):
        self.assertEqual(self.tasks_after("thread_at_exit"), 20)

    def test_main_thread_leaves_before_the_others(self):
        """Without us, too, the runtime's threads keep the process until its alarm."""
        plain = self.run_program("endings", "pthread_exit")
        traced = self.run_program("endings", "pthread_exit", prefix=(PERSEID, "run", "--"))
        self.assertEqual(plain.returncode, -signal.SIGALRM)
        self.assertEqual((traced.stdout, traced.returncode), (plain.stdout, plain.returncode))
        self.assertEqual(Timeline(self.timelines()[0]).count("openmp.task", r"^ten_tasks \(endings\.cpp:"), 10)

    def test_library_opened_late_and_closed_has_names(self):
        timeline = self.trace("endings", "plugin", str(PROGRAMS / "plugin.so"))
        line = lines_of("plugin.cpp")["plugin_task"]
        self.assertEqual(timeline.count("openmp.task", rf"^plugin_tasks \(plugin\.cpp:{line}\)$"), 10)

    def test_preloaded(self):
        result = self.run_program("endings", "return", LD_PRELOAD=LIBRARY, PERSEID="on")
        self.stderr = result.stderr
        self.assertEqual(result.stdout, "done 10\n")
        self.assertEqual(self.the_timeline().count("openmp.task"), 10)

    def test_under_perseid_run(self):
        result = self.run_program("endings", "return", prefix=(PERSEID, "run", "--"))
        self.stderr = result.stderr
        self.assertEqual(self.the_timeline().count("openmp.task"), 10)

    def test_child_that_does_not_use_openmp_leaves_nothing(self):
        timeline = self.trace("endings", "fork_idle")
        self.assertEqual(timeline.count("openmp.task"), 20)

    def test_child_that_uses_openmp_has_a_timeline_of_its_own(self):
        result = self.run_program("endings", "fork_works", OMP_TOOL_LIBRARIES=LIBRARY)
        self.assertEqual(result.stdout, self.run_program("endings", "fork_works").stdout)
        counts = sorted(Timeline(path).count("openmp.task") for path in self.timelines())
        self.assertEqual(counts, [10, 20], result.stderr)

    def test_signal_that_ends_it(self):
        plain = self.run_program("endings", "terminated")
        traced = self.run_program("endings", "terminated", OMP_TOOL_LIBRARIES=LIBRARY)
        self.assertEqual(traced.returncode, -signal.SIGTERM)
        self.assertEqual(traced.stdout, plain.stdout)
        # The program may hold any lock now: names come without libraries.
        self.assertEqual(Timeline(self.timelines()[0]).count("openmp.task", r"endings\+0x"), 10)

    def test_signal_that_ends_it_under_perseid_run(self):
        result = self.run_program("endings", "terminated", prefix=(PERSEID, "run", "--"))
        self.assertEqual(result.returncode, -signal.SIGTERM)
        self.assertEqual(Timeline(self.timelines()[0]).count("openmp.task", r"^ten_tasks \(endings\.cpp:"), 10)

    def test_killed_and_exit_without_a_word_leave_a_capture(self):
        for way in ("killed", "_exit"):
            with self.subTest(way):
                traced = self.run_program("endings", way, OMP_TOOL_LIBRARIES=LIBRARY)
                self.assertNotEqual(traced.returncode, 0)
                capture = next(self.here.glob("*.capture"))
                out = self.here / f"{way}.json"
                self.perseid("export", capture, "-o", out)
                line = lines_of("endings.cpp")["task"]
                self.assertEqual(Timeline(out).count("openmp.task", rf"^ten_tasks \(endings\.cpp:{line}\)$"), 10)
                self.remove_capture(capture)

    def test_switched_off(self):
        for variables in ({"OMP_TOOL": "disabled"}, {"PERSEID": "off"}, {"STARPU_TRACE_PLUGIN": "0"}):
            with self.subTest(variables):
                result = self.run_program("endings", "return", OMP_TOOL_LIBRARIES=LIBRARY, **variables)
                self.assertEqual((result.stdout, result.stderr, result.returncode), ("done 10\n", "", 0))
                self.assertEqual(list(self.here.iterdir()), [])

    def test_nothing_but_the_librarys_name(self):
        """`OMP_TOOL_LIBRARIES=libperseid.so ./program`, the library on the loader's path."""
        path = ":".join(filter(None, (str(pathlib.Path(LIBRARY).parent), self.environment.get("LD_LIBRARY_PATH"))))
        result = self.run_program("endings", "return", OMP_TOOL_LIBRARIES="libperseid.so", LD_LIBRARY_PATH=path)
        self.stderr = result.stderr
        self.assertEqual(result.stdout, "done 10\n")
        self.assertEqual(self.the_timeline().count("openmp.task"), 10)

    def test_two_entry_points_share_one_session(self):
        result = self.run_program("endings", "return", LD_PRELOAD=LIBRARY, PERSEID="on", OMP_TOOL_LIBRARIES=LIBRARY)
        self.stderr = result.stderr
        self.assertEqual(self.the_timeline().count("openmp.task"), 10)

    def test_the_first_of_two_tools_is_the_one(self):
        other = PROGRAMS / "other_tool.so"
        ours = self.run_program("endings", "return", OMP_TOOL_LIBRARIES=f"{LIBRARY}:{other}")
        self.assertNotIn("other tool", ours.stderr)
        self.stderr = ours.stderr
        self.assertEqual(self.the_timeline().count("openmp.task"), 10)
        theirs = self.run_program("endings", "return", OMP_TOOL_LIBRARIES=f"{other}:{LIBRARY}")
        self.assertEqual((theirs.stdout, theirs.stderr, theirs.returncode), ("done 10\n", "other tool\n", 0))
        self.assertEqual(self.timelines(), [])

    def test_other_tools_before_us(self):
        missing = f"/nowhere/libtool.so:{LIBRARY}"
        result = self.run_program("endings", "return", OMP_TOOL_LIBRARIES=missing)
        self.stderr = result.stderr
        self.assertEqual(self.the_timeline().count("openmp.task"), 10)


if __name__ == "__main__":
    main()
