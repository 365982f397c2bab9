"""Time limits and kills of the launcher end with a timeline of the whole job."""

import json
import os
import pathlib
import re
import signal
import subprocess
import time

from mpi_case import PERSEID, PROGRAMS, MpiCase, launcher, main

TRIES = 3
RANKS = 4


class Limits(MpiCase):
    def setUp(self):
        super().setUp()
        self.assertIn("openmpi", self.mpis)

    def start(self, directory, *before, program=("steps", "60")):
        (self.here / directory).mkdir()
        return subprocess.Popen(
            list(map(str, [*before, PERSEID, "run", "-o", "k-%r.json", "--", *launcher("openmpi", RANKS),
                           PROGRAMS / "openmpi" / program[0], program[1]])),
            cwd=self.here / directory, env=self.environment, text=True, start_new_session=True,
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)

    def wait_for_ranks(self, directory):
        """Until all of them record."""
        end = time.monotonic() + 60
        while len(list((self.here / directory).glob("*.capture/topology"))) < RANKS:
            self.assertLess(time.monotonic(), end, self.names())
            time.sleep(0.05)

    def check(self, directory, process):
        message = process.communicate(timeout=80)[1]
        here = self.here / directory
        self.assertTrue((here / "k.json").exists(), message)
        facts = json.loads((here / "k.json").read_text())["otherData"]
        self.assertEqual((facts["captures"], facts["lost"]), (str(RANKS), "0"), message)
        self.assertEqual(len(list(here.glob("k-*.json"))), RANKS, message)
        self.assertEqual([path.name for path in here.iterdir() if path.suffix != ".json"], [], message)

    def test_a_signal_to_the_whole_group(self):
        for number in range(TRIES):
            with self.subTest(number=number):
                # As batch systems do it; timeout(1) itself is the leader of the group.
                process = self.start(f"group{number}", "timeout", "-k", "60", "600")
                self.wait_for_ranks(f"group{number}")
                process.send_signal(signal.SIGTERM)
                self.check(f"group{number}", process)

    def test_ranks_that_go_on_are_named_with_the_command_for_their_timeline(self):
        (self.here / "on").mkdir()
        # Without MPI_Init nothing tells them that their launcher is gone.
        process = self.start("on/x", program=["works", "25"])
        self.wait_for_ranks("on/x")
        os.kill(self.launcher_of(process.pid), signal.SIGKILL)
        message = process.communicate(timeout=80)[1]
        self.assertIn(f"{RANKS} of {RANKS} ranks are still being recorded", message)
        command = re.search(r"run: perseid (merge .*)", message).group(1).split()
        self.run_in([PERSEID, *command])
        facts = self.facts("k.json")
        self.assertEqual((facts["captures"], facts["lost"]), (str(RANKS), "0"))

    def test_a_killed_launcher(self):
        for number in range(TRIES):
            with self.subTest(number=number):
                process = self.start(f"killed{number}")
                self.wait_for_ranks(f"killed{number}")
                os.kill(self.launcher_of(process.pid), signal.SIGKILL)
                self.check(f"killed{number}", process)

    def launcher_of(self, pid):
        for child in pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text().split():
            if pathlib.Path(f"/proc/{child}/comm").read_text().strip() != "perseid-witness":
                return int(child)
        raise AssertionError("no launcher")


if __name__ == "__main__":
    main()
