"""What was not recorded, and why, from what each process had loaded."""

from openmp_case import LIBRARY, PERSEID, PROGRAMS, OpenmpCase, main

THROUGH = r"caller_plain uses GCC's libgomp \(through libkernel_plain\.so\).*--openmp=llvm"


class Unrecorded(OpenmpCase):
    def run_perseid(self, *words):
        run = self.run_program(PERSEID, "run", *words)
        self.assertEqual(run.stderr.count("\n"), 1, run.stderr)
        self.assertNotIn("perseid.h", run.stderr)
        return run

    def test_libgomp_behind_a_library(self):
        for command in ([PROGRAMS / "caller_plain"], ["sh", "-c", f"{PROGRAMS / 'caller_plain'}; true"]):
            run = self.run_perseid("--", *command)
            self.assertRegex(run.stderr, "nothing was recorded: " + THROUGH)
        self.assertEqual(list(self.here.iterdir()), [])

    def test_libgomp_behind_a_library_without_perseid_run(self):
        run = self.run_program("caller_plain", LD_PRELOAD=LIBRARY, PERSEID="on")
        self.assertRegex(run.stderr, f"^perseid: not recorded: {THROUGH}\n$")

    def test_one_process_recorded_does_not_hide_another(self):
        both = f"{PROGRAMS / 'endings'} return; {PROGRAMS / 'caller_plain'}; {PROGRAMS / 'caller_plain'}"
        run = self.run_program(PERSEID, "run", "--", "sh", "-c", both)
        self.assertEqual(len(self.timelines()), 1)
        self.assertRegex(run.stderr, "not recorded: " + THROUGH)
        self.assertEqual(run.stderr.count("libgomp"), 1, run.stderr)

    def test_a_library_that_was_not_called_is_not_blamed(self):
        run = self.run_perseid("--", PROGRAMS / "caller_plain", "fail")
        self.assertEqual(run.returncode, 3)
        self.assertRegex(run.stderr, "nothing was recorded: .*ended with status 3; "
                                     "caller_plain is linked with OpenMP, but opened no parallel region")
        self.assertNotIn("--openmp", run.stderr)

    def test_openmp_that_did_nothing(self):
        run = self.run_perseid("--", PROGRAMS / "idle_clang")
        self.assertRegex(run.stderr, "idle_clang is linked with OpenMP, but opened no parallel region and created no task")

    def test_tools_that_the_user_has_switched_off(self):
        run = self.run_program(PERSEID, "run", "--", PROGRAMS / "endings", "return", OMP_TOOL="disabled")
        self.assertRegex(run.stderr, "nothing was recorded: endings has OpenMP tools disabled; unset OMP_TOOL")

    def test_quiet_is_quiet(self):
        run = self.run_program(PERSEID, "run", "-q", "--", PROGRAMS / "caller_plain")
        self.assertEqual(run.stderr, "")


if __name__ == "__main__":
    main()
