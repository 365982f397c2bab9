"""Work sharing that the compiler does by itself: of it, the runtime sees the barriers."""

from openmp_case import PERSEID, OpenmpCase, lines_of, main

THREADS = 3


class InlinedWork(OpenmpCase):
    def trace_on_llvms_runtime(self, program):
        plain = self.run_program(program)
        run = self.run_program(program, prefix=(PERSEID, "run", "--openmp=llvm", "--"))
        self.assertEqual((run.stdout, run.returncode), (plain.stdout, 0), run.stderr)
        self.stderr = run.stderr
        timeline = self.the_timeline()
        self.assert_slices_nest(timeline)
        self.assertEqual(timeline.count("openmp.work"), 0)
        return timeline

    def test_the_barrier_of_a_scope(self):
        timeline = self.trace_on_llvms_runtime("scope_gcc")
        line = lines_of("scope.cpp")["scope"]
        self.assertEqual(timeline.count("openmp.wait", rf"^barrier main \(scope\.cpp:{line}\)$"), THREADS)

    def test_a_barrier_behind_each_statement_of_a_workshare(self):
        timeline = self.trace_on_llvms_runtime("workshare")
        # gcc gives the barrier to the line before the statement that it ends.
        for line in (lines_of("workshare.f90")[mark] - 1 for mark in ("first", "second")):
            self.assertEqual(timeline.count("openmp.wait", rf"^barrier \w+ \(workshare\.f90:{line}\)$"), THREADS, line)


if __name__ == "__main__":
    main()
