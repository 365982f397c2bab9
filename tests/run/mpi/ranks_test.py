"""Which ranks are traced, how their files are called, and who speaks."""

from mpi_case import LIBRARY, PERSEID, PROGRAMS, MpiCase, launcher, main


class Ranks(MpiCase):
    def program(self, mpi):
        return PROGRAMS / mpi / "messages"

    def test_each_way_of_starting_gives_one_file_per_rank(self):
        for mpi in self.mpis:
            with self.subTest(mpi=mpi):
                expected = [f"perseid-messages-{rank}.json" for rank in range(3)]
                self.run_in([*launcher(mpi, 3), PERSEID, "run", "--", self.program(mpi)])
                self.assertEqual(self.names("*.json"), expected)
                for name in expected:
                    (self.here / name).unlink()
                result = self.run_in([*launcher(mpi, 3), self.program(mpi)],
                                     STARPU_TRACE_PLUGIN="on", LD_PRELOAD=LIBRARY)
                self.assertEqual(self.names("*.json"), expected)
                self.assertEqual(result.stderr.count("perseid:"), 1, result.stderr)
                self.assertEqual(self.facts(expected[1])["rank"], "1")
                self.assertEqual(self.facts(expected[1])["size"], "3")
                for name in expected:
                    (self.here / name).unlink()
                self.assertEqual(self.names(), [], "nothing else is left behind")

    def test_ranks_may_turn_tracing_on_themselves(self):
        for mpi in self.mpis:
            with self.subTest(mpi=mpi):
                program = PROGRAMS / mpi / "sets_switch"
                result = self.run_in([*launcher(mpi, 2), program], LD_PRELOAD=LIBRARY)
                self.assertEqual((self.names(), result.stderr), ([], ""))
                self.run_in([*launcher(mpi, 2), program, "out=late-%r.json"], LD_PRELOAD=LIBRARY)
                self.assertEqual(self.names(), ["late-0.json", "late-1.json"])
                self.run_in([PERSEID, "merge", "-o", "late.json", "late-0.json", "late-1.json"])
                self.check_messages("late.json", 1)
                for name in self.names():
                    (self.here / name).unlink()

    def test_ranks_that_are_not_selected_leave_nothing(self):
        for selection, expected in [("1,3", [1, 3]), ("every:2", [0, 2]), ("2-3", [2, 3])]:
            with self.subTest(selection=selection):
                result = self.run_in([*launcher(self.mpis[0], 4), PERSEID, "run", "-s",
                                      f"ranks={selection}", "--", self.program(self.mpis[0])])
                self.assertEqual(self.names("*.json"),
                                 [f"perseid-messages-{rank}.json" for rank in expected])
                self.assertEqual(result.stderr.count("perseid:"), 1, result.stderr)
                facts = self.facts(f"perseid-messages-{expected[1]}.json")
                self.assertEqual(facts["clock_compared"], "shared")
                for name in self.names("*.json"):
                    (self.here / name).unlink()

    def test_traced_ranks_have_no_communicator_that_others_lack(self):
        """Open MPI then agrees on new ones in several rounds, and two MPI_Comm_idup at once may hang."""
        if "openmpi" not in self.mpis:
            self.skipTest("Open MPI is missing")
        result = self.run_in([*launcher("openmpi", 4), PERSEID, "run", "-s", "ranks=2-3", "--",
                              PROGRAMS / "openmpi" / "handles"])
        handles = result.stdout.split()
        self.assertEqual(handles, 4 * handles[:1])
        self.assertEqual(self.facts("perseid-handles-3.json")["clock_compared"], "shared")

    def test_a_job_of_which_only_a_part_is_traced_does_not_hang(self):
        if "openmpi" not in self.mpis:
            self.skipTest("Open MPI is missing")
        result = self.run_in(["mpirun.openmpi", "--oversubscribe", "-np", "1", PERSEID, "run", "--",
                              self.program("openmpi"), ":", "-np", "1", self.program("openmpi")])
        self.assertIn("sent", result.stdout)
        self.assertEqual(self.names("*.json"), ["perseid-messages-0.json"])
        self.assertEqual(self.facts("perseid-messages-0.json")["clock_compared"], "realtime")

    def test_the_launcher_itself_is_not_traced(self):
        self.run_in([PERSEID, "run", "-k", "--", *launcher(self.mpis[0], 2), self.program(self.mpis[0])])
        self.assertEqual(self.names("*.capture"),
                         ["perseid-messages-0.capture", "perseid-messages-1.capture"])


if __name__ == "__main__":
    main()
