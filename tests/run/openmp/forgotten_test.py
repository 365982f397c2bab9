"""Constructs have their lines also where the runtime has forgotten who called it."""

from openmp_case import LIBRARY, PROGRAMS, OpenmpCase, lines_of, main


class Forgotten(OpenmpCase):
    def test_the_stack_knows_the_line(self):
        result = self.run_program("forgotten", PROGRAMS / "forgetful_runtime.so", LIBRARY, PERSEID="on")
        self.assertEqual((result.stdout, result.returncode), ("done\n", 0), result.stderr)
        self.stderr = result.stderr
        timeline = self.the_timeline()
        wanted = {
            ("openmp.mutex", "lock"): "lock ",
            ("openmp.create", "task"): "create ",
            ("openmp.task", "task"): "",
            ("openmp.wait", "taskwait"): "taskwait ",
            ("openmp.wait", "barrier"): "barrier ",
            ("openmp.work", "taskgroup"): "taskgroup "}
        for (category, mark), construct in wanted.items():
            line = lines_of("forgotten.cpp")[mark]
            self.assertEqual(timeline.count(category, rf"^{construct}main \(forgotten\.cpp:{line}\)$"), 1, mark)


if __name__ == "__main__":
    main()
