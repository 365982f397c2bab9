"""Clocks that are wrong on purpose come out right within the error that is stated."""

import json
import subprocess

from mpi_case import PERSEID, PROGRAMS, MpiCase, launcher, main


class Clocks(MpiCase):
    def marks(self, timeline):
        """By rank: (time on the timeline, CLOCK_MONOTONIC as the program read it) in ns."""
        events = json.loads((self.here / timeline).read_text())["traceEvents"]
        names = {e["pid"]: e["args"]["name"] for e in events if e.get("name") == "process_name"}
        found = {}
        for event in events:
            if event.get("name") == "mark":
                rank = int(names[event["pid"]].split()[1])
                shown_ns = round(event["ts"] * 1000)
                found.setdefault(rank, []).append((shown_ns, event["args"]["mono"]))
        return found

    def test_offset_and_drift_are_taken_out(self):
        # MPICH never lets go of a core: with more ranks than cores every round trip takes a
        # scheduler's turn, and the error is stated accordingly.
        for mpi, ranks in [("openmpi", 4), ("mpich", 2)]:
            if mpi not in self.mpis:
                continue
            with self.subTest(mpi=mpi):
                self.environment["PERSEID_TEST_CLOCK"] = "50000000/200"
                result = self.run_in([PERSEID, "run", "-1", "-o", f"{mpi}-%r.json",
                                      "--", *launcher(mpi, ranks), PROGRAMS / mpi / "messages"])
                facts = self.facts(f"{mpi}.json")
                error_ns = int(facts["clock_error_ns"])
                self.assertGreater(error_ns, 0)
                marks = self.marks(f"{mpi}.json")
                self.assertEqual(sorted(marks), list(range(ranks)))
                # A program's own reading is some time before the event: take the tightest.
                truth = min(shown - mono for shown, mono in marks[0])
                slack_ns = 200_000  # between reading the clock and recording, on a busy machine
                for rank, pairs in marks.items():
                    off = min(shown - mono for shown, mono in pairs) - truth
                    self.assertLessEqual(abs(off), error_ns + slack_ns, f"rank {rank}: {off} ns")
                self.assertEqual("more than 10 us" in result.stderr, error_ns > 10_000, result.stderr)

    def test_a_run_that_dies_before_the_second_measurement_is_aligned_by_the_first(self):
        mpi = self.mpis[0]
        self.environment["PERSEID_TEST_CLOCK"] = "50000000/0"
        subprocess.run([*launcher(mpi, 2), PERSEID, "run", "-k", "--",
                        PROGRAMS / mpi / "killed"], cwd=self.here, env=self.environment,
                       capture_output=True, timeout=60)
        self.assertEqual(len(self.names("*.capture")), 2)
        self.run_in([PERSEID, "merge", "-o", "all.json", "."])
        marks = self.marks("all.json")
        off = marks[1][0][0] - marks[1][0][1] - (marks[0][0][0] - marks[0][0][1])
        self.assertLess(abs(off), int(self.facts("all.json")["clock_error_ns"]) + 200_000)


if __name__ == "__main__":
    main()
