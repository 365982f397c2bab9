"""StarPU's own MPI programs end as they do untraced, and each of their messages is an arrow.

The messages are counted where MPI sees them (programs/counts_messages.c): an envelope and the data.
"""

import os
import pathlib
import re
import subprocess

from mpi_case import BACKWARD, LIBRARY, LOSSES, PERSEID, PROGRAMS, MpiCase, launcher, main, query

EXAMPLES = next(iter(pathlib.Path("/usr/lib").glob("*/starpu/mpi")), None)

# Programs send some messages of their own beside StarPU-MPI's.
ARROWS = ("select count(*) from flow join slice target on slice_in = target.id "
          "join slice source on slice_out = source.id "
          "where target.name = 'received' and source.name = 'post send'")

# program, arguments, ranks: those that end well without any tracer.
ROWS = [
    ("cache", "", 2), ("cache_disable", "", 2), ("comm", "", 4), ("filter", "", 2), ("mix_comm", "", 4),
    ("mm", "", 2), ("mpi_cholesky", "-size 320 -nblocks 4", 2),
    ("mpi_cholesky_distributed", "-size 320 -nblocks 4", 2), ("mpi_complex", "", 2),
    ("nf_basic_ring", "", 2), ("nf_mm", "", 2), ("nf_mm_task_build", "", 2),
    ("plu_implicit_example_double", "-size 256 -nblocks 4", 2),
    ("plu_implicit_example_float", "-size 256 -nblocks 4", 2),
    ("plu_outofcore_example_double", "-size 256 -nblocks 4", 2),
    ("plu_outofcore_example_float", "-size 256 -nblocks 4", 2),
    ("stencil5", "", 2), ("user_datatype", "", 2), ("user_datatype2", "", 2), ("user_datatype_early", "", 2),
]


def words_of(stdout):
    """The lines without their numbers, which are times, and in no order: ranks print when they can."""
    return sorted(re.sub(r"-?\d[\d.e+-]*", "N", line) for line in stdout.splitlines())


class StarpuMpi(MpiCase):
    def run_program(self, words):
        return subprocess.run(list(map(str, words)), cwd=self.here, env=self.environment, text=True,
                              capture_output=True, timeout=90)

    def test_programs_end_as_untraced_and_every_message_has_its_arrow(self):
        self.environment.update(STARPU_HOME=os.environ["PERSEID_STARPU_HOME"], STARPU_SILENT="1",
                                STARPU_NCPU="2")
        counter = PROGRAMS / "counts_messages.so"
        messages = 0
        for program, arguments, ranks in ROWS:
            with self.subTest(program=program):
                command = [EXAMPLES / program, *arguments.split()]
                plain = self.run_program([*launcher("openmpi", ranks), *command])
                counts = self.here / f"{program}.counts"
                timeline = self.here / f"{program}.json"
                traced = self.run_program([
                    PERSEID, "run", "-1", "-o", f"{program}-%r.json", "--", *launcher("openmpi", ranks),
                    "-x", f"LD_PRELOAD={counter}:{LIBRARY}", "-x", f"COUNTED_MESSAGES={counts}", *command])
                self.assertEqual(traced.returncode, plain.returncode, traced.stdout + traced.stderr)
                self.assertEqual(words_of(traced.stdout), words_of(plain.stdout))
                sends = sum(int(line.split()[1]) for line in counts.read_text().splitlines())
                self.assertEqual(sends % 2, 0)
                losses, arrows, backward = query(timeline, LOSSES, ARROWS, BACKWARD)
                self.assertEqual(losses, [])
                self.assertEqual(int(arrows[0][0]), sends // 2)
                self.assertEqual(int(backward[0][0]), 0)
                messages += sends // 2
        self.assertGreater(messages, 0)


if __name__ == "__main__":
    main()
