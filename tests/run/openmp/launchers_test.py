"""--openmp=llvm behind launchers: each process decides for itself which runtime it gets."""

import os
import subprocess

from openmp_case import PERSEID, PROGRAMS, OpenmpCase, main

MPIRUN = ["mpirun.openmpi", "--oversubscribe", "-np", "2"]
FALLBACK = r"--openmp=llvm: .*{} runs with libgomp.*{} calls omp_fulfill_event@OMP_5\.0\.1.*clang"


def launchers(program):
    """The program itself, and what may stand between it and `perseid run`."""
    yield "itself", [program]
    yield "env", ["env", "A=1", program]
    yield "exec", ["sh", "-c", f"exec {program}"]
    yield "sh", ["sh", "-c", f"{program}; true"]
    yield "nested", ["sh", "-c", f"env A=1 sh -c '{program}'; true"]
    yield "mpirun", [*MPIRUN, program]


class Launchers(OpenmpCase):
    def setUp(self):
        super().setUp()
        self.environment.update(
            OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1", OMP_CANCELLATION="true")

    def run_command(self, *words):
        return subprocess.run(
            words, cwd=self.here, env=self.environment, text=True, capture_output=True, timeout=100)

    def run_with_llvm(self, command):
        """Output and status must be those of the same command without us."""
        plain = self.run_command(*command)
        run = self.run_command(PERSEID, "run", "--openmp=llvm", "--", *command)
        self.assertEqual((sorted(run.stdout.split("\n")), run.returncode),
                         (sorted(plain.stdout.split("\n")), 0), run.stderr)
        return run

    def test_a_program_that_llvms_runtime_cannot_serve_runs_with_libgomp(self):
        for name, command in launchers(PROGRAMS / "constructs_gcc"):
            with self.subTest(name):
                run = self.run_with_llvm(command)
                self.assertRegex(run.stderr, FALLBACK.format("constructs_gcc", "it"))
                self.assertEqual(run.stderr.count("\n"), 1, run.stderr)
                self.assertEqual(self.timelines(), [])

    def test_so_does_one_whose_library_wants_what_is_missing(self):
        for name, command in launchers(PROGRAMS / "caller_detach"):
            with self.subTest(name):
                run = self.run_with_llvm(command)
                self.assertRegex(run.stderr, FALLBACK.format("caller_detach", r"libkernel_detach\.so"))
                self.assertEqual(run.stderr.count("\n"), 1, run.stderr)

    def test_a_program_that_it_can_serve_is_recorded_behind_each(self):
        for name, command in launchers(PROGRAMS / "constructs_gcc_undetached"):
            with self.subTest(name):
                run = self.run_with_llvm(command)
                found = self.timelines()
                self.assertEqual(len(found), 3 if name == "mpirun" else 1, run.stderr)
                self.assertIn(" 0 lost", run.stderr)
                self.assertNotIn("libgomp", run.stderr)
                self.stderr = run.stderr
                for timeline in found:
                    self.assertIn('"openmp.task"', timeline.read_text())
                    timeline.unlink()

    def test_one_that_it_cannot_serve_starts_one_that_it_can(self):
        both = f"{PROGRAMS / 'constructs_gcc'}; {PROGRAMS / 'constructs_gcc_undetached'}"
        run = self.run_with_llvm(["sh", "-c", both])
        self.assertRegex(run.stderr, FALLBACK.format("constructs_gcc", "it"))
        self.assertEqual([t.name.rsplit("-", 1)[0] for t in self.timelines()],
                         ["perseid-constructs_gcc_undetached"])

    def test_a_job_whose_other_ranks_are_traced_stays_whole(self):
        """The switch is off in rank 0, LLVM's runtime is there all the same."""
        command = [*MPIRUN, PROGRAMS / "constructs_gcc"]
        run = self.run_command(PERSEID, "run", "--openmp=llvm", "-s", "ranks=1", "--", *command)
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertEqual(run.stderr.count("runs with libgomp"), 1, run.stderr)

    def test_the_program_finds_itself_as_without_us(self):
        link = self.here / "another-name"
        link.symlink_to(PROGRAMS / "identity_gcc")
        script = self.here / "script"
        script.write_text(f"#!{PROGRAMS / 'identity_gcc'} -x\n")
        script.chmod(0o755)
        loader = "/lib64/ld-linux-x86-64.so.2"
        commands = {
            "plain": [PROGRAMS / "identity_gcc", "a b", "", "c"],
            "link": [link, "x"],
            "name": ["bash", "-c", f"exec -a other {PROGRAMS / 'identity_gcc'} y 5</dev/null"],
            "script": [script, "z"],
        }
        if os.path.exists(loader):
            commands["loader"] = [loader, PROGRAMS / "identity_gcc", "w"]
        self.environment["KMP_WARNINGS"] = "0"
        for name, command in commands.items():
            with self.subTest(name):
                ours = self.run_command(PERSEID, "run", "--", *command)
                run = self.run_command(PERSEID, "run", "--openmp=llvm", "--", *command)
                # A script's process is called after its interpreter once it has started again.
                drop = "comm " if name == "script" else "\0"
                lines = [[line for line in text.split("\n") if not line.startswith(drop)]
                         for text in (run.stdout, ours.stdout)]
                self.assertEqual(lines[0], lines[1])
                self.assertRegex(run.stderr, r"runs with libgomp")
                self.assertRegex(run.stderr, r"children: \S*libperseid\.so:\S*libomp\.so\.5\|\(null\)\n")

    def test_a_long_command_line_arrives_whole(self):
        words = [f"{n:05}" * 20 for n in range(5000)]
        run = self.run_command(PERSEID, "run", "--openmp=llvm", "--", PROGRAMS / "identity_gcc", *words)
        got = [line[5:] for line in run.stdout.split("\n") if line.startswith("word ")]
        self.assertEqual(got[1:], words)

    def test_warnings_that_libgomp_does_not_have_are_not_printed(self):
        run = self.run_with_llvm([PROGRAMS / "caller_nested"])
        self.assertNotIn("OMP:", run.stderr)
        self.environment["KMP_WARNINGS"] = "1"
        run = self.run_with_llvm([PROGRAMS / "caller_nested"])
        self.assertIn("omp_set_nested", run.stderr)


if __name__ == "__main__":
    main()
