"""Messages of plain MPI become arrows between ranks, with Open MPI and with MPICH."""

import json

from mpi_case import LOSSES, MISLED, PERSEID, PROGRAMS, MpiCase, count, launcher, main, query, sent_by


class Messages(MpiCase):
    def test_every_message_is_one_arrow_in_the_merged_timeline(self):
        for mpi, ranks in [("openmpi", 2), ("openmpi", 4), ("mpich", 2), ("mpich", 4)]:
            if mpi not in self.mpis:
                continue
            with self.subTest(mpi=mpi, ranks=ranks):
                name = f"{mpi}{ranks}"
                result = self.run_in([PERSEID, "run", "-o", f"{name}-%r.json", "--",
                                      *launcher(mpi, ranks), PROGRAMS / mpi / "messages"])
                self.check_messages(f"{name}.json", sent_by(result))
                self.assertEqual(query(self.here / f"{name}.json", MISLED)[0], [])
                self.assertEqual(self.names(f"{name}-*.json"),
                                 [f"{name}-{rank}.json" for rank in range(ranks)])
                self.assertEqual(self.names("*.capture"), [])
                lines = [line for line in result.stderr.splitlines() if line.startswith("perseid:")]
                self.assertEqual(len(lines), 1, result.stderr)
                facts = self.facts(f"{name}.json")
                self.assertEqual(facts["captures"], str(ranks))
                self.assertEqual(facts["clock_error_ns"], "0")  # one machine, one clock

    def test_fortran_programs_have_arrows_too(self):
        for mpi in self.mpis:
            with self.subTest(mpi=mpi):
                result = self.run_in([PERSEID, "run", "-1", "-o", f"{mpi}-%r.json", "--", *launcher(mpi, 2),
                                      PROGRAMS / mpi / "ring"])
                self.check_messages(f"{mpi}.json", sent_by(result))

    def test_output_is_the_same_as_without(self):
        for mpi in self.mpis:
            with self.subTest(mpi=mpi):
                plain = self.run_in([*launcher(mpi, 2), PROGRAMS / mpi / "messages"])
                traced = self.run_in([*launcher(mpi, 2), PERSEID, "run", "-q", "--",
                                      PROGRAMS / mpi / "messages"])
                self.assertEqual(traced.stdout, plain.stdout)
                self.assertEqual(traced.stderr, plain.stderr)

    def test_mpi_off_leaves_only_mpi_out(self):
        for mpi in self.mpis:
            for program in ("messages", "ring"):  # C, with marks of its own, and Fortran
                with self.subTest(mpi=mpi, program=program):
                    plain = self.run_in([*launcher(mpi, 2), PROGRAMS / mpi / program])
                    name = f"{mpi}-{program}-off"
                    traced = self.run_in([*launcher(mpi, 2), PERSEID, "run", "-q", "-s", "mpi=off", "-o",
                                          f"{name}-%r.json", "--", PROGRAMS / mpi / program])
                    self.assertEqual(traced.stdout, plain.stdout)
                    if program == "ring":
                        self.assertEqual(self.names(f"{name}*"), [])
                        continue
                    self.assertEqual(self.names(f"{name}*"), [f"{name}-0.json", f"{name}-1.json"])
                    events = json.loads((self.here / f"{name}-1.json").read_text())["traceEvents"]
                    self.assertIn("mark", {e["name"] for e in events})
                    self.assertEqual([e["name"] for e in events if e["name"].startswith("MPI")
                                      or e["name"] == "received" or e["ph"] in "sf"], [])

    def test_timelines_of_ranks_can_be_merged_and_concatenated(self):
        mpi = self.mpis[0]
        for suffix in ("json", "pftrace"):
            result = self.run_in([*launcher(mpi, 3), PERSEID, "run", "-o", f"rank-%r.{suffix}", "--",
                                  PROGRAMS / mpi / "messages"])
            self.run_in([PERSEID, "merge", "-o", f"all.{suffix}", *self.names(f"rank-*.{suffix}")])
            self.check_messages(f"all.{suffix}", sent_by(result))
        with open(self.here / "cat.pftrace", "wb") as joined:
            for name in self.names("rank-*.pftrace"):
                joined.write((self.here / name).read_bytes())
        self.check_messages("cat.pftrace", sent_by(result))
        rows = query(self.here / "cat.pftrace", "select name from process where name like 'rank %'")[0]
        self.assertEqual(len(rows), 3)

    def test_protobuf_and_json_of_the_same_captures_agree(self):
        mpi = self.mpis[0]
        result = self.run_in([*launcher(mpi, 2), PERSEID, "run", "-k", "--", PROGRAMS / mpi / "messages"])
        self.run_in([PERSEID, "merge", "-o", "all.json", "."])
        self.run_in([PERSEID, "merge", "-o", "all.pftrace", "."])
        slices = "select count(*) from slice"
        self.assertEqual(count(self.here / "all.json", slices), count(self.here / "all.pftrace", slices))
        for name in ("all.json", "all.pftrace"):
            self.check_messages(name, sent_by(result))

    def test_calls_have_slices_with_their_arguments_and_polling_has_none(self):
        mpi = self.mpis[0]
        self.run_in([PERSEID, "run", "-1", "-o", "run-%r.json", "--", *launcher(mpi, 2),
                     PROGRAMS / mpi / "messages"])
        self.assertEqual(self.names("*.json"), ["run.json"])
        names = {row[0] for row in query(
            self.here / "run.json", "select distinct name from slice where category in ('mpi', 'mpi.wait')")[0]}
        self.assertLessEqual({"MPI_Init", "MPI_Send", "MPI_Recv", "MPI_Isend", "MPI_Irecv", "MPI_Wait",
                              "MPI_Waitall", "MPI_Waitany", "MPI_Waitsome", "MPI_Sendrecv",
                              "MPI_Barrier", "MPI_Bcast", "MPI_Allgather", "MPI_Gather", "MPI_Reduce",
                              "MPI_Bsend_init", "MPI_Recv_init", "MPI_Start", "MPI_Startall",
                              "MPI_Mprobe", "MPI_Mrecv", "MPI_Imrecv",
                              "MPI_Finalize"}, names)
        self.assertFalse([name for name in names if name.startswith("MPI_Test")])
        bytes_sent = query(
            self.here / "run.json",
            "select distinct int_value from args join slice using (arg_set_id) "
            "where name = 'MPI_Ssend' and key = 'args.bytes'")[0]
        self.assertEqual(bytes_sent, [["8"]])
        self.assertEqual(query(self.here / "run.json", LOSSES)[0], [])


if __name__ == "__main__":
    main()
