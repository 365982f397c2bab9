"""Programs built for GCC's libgomp: told apart, and run with LLVM's runtime when asked to."""

from openmp_case import LIBRARY, PERSEID, OpenmpCase, lines_of, main

LINES = lines_of("constructs.cpp")


class Gcc(OpenmpCase):
    def test_the_user_is_reported_why_there_is_no_openmp_and_what_to_do(self):
        plain = self.run_program("constructs_gcc")
        told = self.run_program("constructs_gcc", LD_PRELOAD=LIBRARY, PERSEID="on")
        self.assertEqual(told.stdout, plain.stdout)
        self.assertEqual(told.stderr.count("\n"), 1, told.stderr)
        self.assertRegex(told.stderr, r"not recorded: .*libgomp, which has no tools interface; .*--openmp=llvm")
        self.assertEqual(self.timelines(), [])

    def test_perseid_run_reports_it_once(self):
        told = self.run_program("constructs_gcc", prefix=(PERSEID, "run", "--"))
        self.assertEqual(told.stderr.count("\n"), 1, told.stderr)
        self.assertRegex(told.stderr, r"nothing was recorded: .*libgomp.*--openmp=llvm")

    def test_a_clang_program_gets_no_such_line(self):
        told = self.run_program("endings", "return", prefix=(PERSEID, "run", "--"))
        self.assertNotIn("libgomp", told.stderr)

    def test_llvms_runtime_in_libgomps_place(self):
        plain = self.run_program("constructs_gcc_undetached", OMP_CANCELLATION="true")
        run = self.run_program("constructs_gcc_undetached", OMP_CANCELLATION="true",
                               prefix=(PERSEID, "run", "--openmp=llvm", "--"))
        self.assertEqual((run.stdout, run.returncode), (plain.stdout, 0), run.stderr)
        self.stderr = run.stderr
        timeline = self.the_timeline()
        self.assert_slices_nest(timeline)
        line = LINES["simple_tasks"]
        self.assertEqual(timeline.count("openmp.task", rf"^simple_tasks \(constructs\.cpp:{line}\)$"), 100)
        self.assertEqual(timeline.count("openmp.task", r"^fib \("), 176)
        self.assertEqual(timeline.count("openmp.mutex", r"^critical mutexes \("), 20)
        found = timeline.find("openmp.task", rf"^dependent_tasks \(constructs\.cpp:{LINES['reader']}\)$")
        self.assertEqual([e["args"]["depends_on"] for e in found], [1, 1, 1])

    def test_a_program_that_llvms_runtime_cannot_serve_stays_with_libgomp(self):
        plain = self.run_program("constructs_gcc")
        run = self.run_program("constructs_gcc", prefix=(PERSEID, "run", "--openmp=llvm", "--"))
        self.assertEqual((run.stdout, run.returncode), (plain.stdout, 0), run.stderr)
        self.assertRegex(run.stderr, r"--openmp=llvm: .*constructs_gcc runs with libgomp.*omp_fulfill_event@OMP_5\.0\.1.*clang")
        self.assertEqual(run.stderr.count("\n"), 1, run.stderr)
        self.assertEqual(self.timelines(), [])

    def test_another_word_than_llvm_is_refused(self):
        run = self.run_program("endings", prefix=(PERSEID, "run", "--openmp=gnu", "--"))
        self.assertEqual(run.returncode, 2)
        self.assertIn("--openmp takes only the value llvm", run.stderr)


if __name__ == "__main__":
    main()
