"""Why a run left nothing behind, whatever the program had loaded and however it ended."""

import os

from cli_case import TRACED, CliCase, main

PROGRAMS = os.environ["PERSEID_CLI_PROGRAMS"]


class Unrecorded(CliCase):
    def reason(self, *command, status=0):
        result = self.perseid("run", "--", *command)
        self.assertEqual(result.returncode, status, result.stderr)
        self.assertEqual(result.stderr.count("\n"), 1, result.stderr)
        prefix = "perseid: nothing was recorded: "
        self.assertTrue(result.stderr.startswith(prefix), result.stderr)
        self.assertEqual(list(self.here.iterdir()), [])
        return result.stderr[len(prefix):-1]

    def test_a_program_with_nothing_to_record(self):
        self.assertRegex(self.reason("true"), "^no process of true used StarPU, OpenMP, MPI, OpenCL, CUDA or perseid.h")

    def test_a_static_program_behind_a_launcher(self):
        self.assertRegex(self.reason("env", os.environ["PERSEID_STATIC"]), "^no process of env .*static and privileged")

    def test_a_program_that_failed(self):
        self.assertRegex(self.reason("false", status=1), "^false ended with status 1; no process of false used")
        self.assertRegex(self.reason("sh", "-c", "kill -9 $$", status=-9), "^sh ended by signal 9; no process")
        self.assertEqual(self.reason(TRACED, "idle", "4", status=4),
                         f"{TRACED} ended with status 4; cli_traced made no perseid.h call")

    def test_a_program_that_did_not_use_what_it_has(self):
        for name, sentence in (("starpu", "ended before starpu_init"), ("mpi", "ended before MPI_Init"),
                               ("cuda", "is linked with CUDA, but made no CUDA call")):
            with self.subTest(name):
                program = f"{PROGRAMS}/cli_idle_{name}"
                self.assertEqual(self.reason(program), f"cli_idle_{name} {sentence}")
                self.assertEqual(self.reason("sh", "-c", f"{program}; true"), f"cli_idle_{name} {sentence}")

    def test_idle_programs_beside_a_recorded_one_are_not_mentioned(self):
        result = self.perseid("run", "--", "sh", "-c", f"{PROGRAMS}/cli_idle_starpu; {TRACED}; true")
        self.assertEqual(result.stderr.count("\n"), 1, result.stderr)
        self.assertNotIn("starpu_init", result.stderr)


main()
