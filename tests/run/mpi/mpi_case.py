"""Runs MPI programs with and without Perseid, and asks the real trace processor about them."""

import json
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

PERSEID = os.environ["PERSEID_TOOL"]
LIBRARY = os.environ["PERSEID_LIBRARY"]
PROGRAMS = pathlib.Path(os.environ["PERSEID_MPI_PROGRAMS"])

LOSSES = ("select name, value from stats where value != 0 and (severity in ('error', 'data_loss') "
          "or name = 'flow_end_without_start')")
# An arrow of a message leads from a send to a moment named "received".
MESSAGES = ("select count(*) from flow join slice target on slice_in = target.id "
            "where target.name = 'received'")
BACKWARD = ("select count(*) from flow join slice target on slice_in = target.id "
            "join slice source on slice_out = source.id "
            "where target.name = 'received' and target.ts + target.dur < source.ts")

# Of a receive that only MPI_Test saw, nobody knows the size.
MISLED = ("select source.name, target.ts from flow join slice target on slice_in = target.id "
          "join slice source on slice_out = source.id where target.name = 'received' and "
          "extract_arg(source.arg_set_id, 'args.bytes') != extract_arg(target.arg_set_id, 'args.bytes')")


def clean_environment():
    prefixes = ("PERSEID", "STARPU", "SLURM", "PMI", "OMPI", "MPI", "LD_", "TMPDIR")
    environment = {k: v for k, v in os.environ.items() if not k.startswith(prefixes)}
    # More ranks than cores, perhaps as root: Open MPI wants to be told that this is meant.
    environment.update(OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
                       OMPI_MCA_rmaps_base_oversubscribe="1", OMPI_MCA_btl_vader_single_copy_mechanism="none",
                       OMPI_MCA_mpi_yield_when_idle="1")
    return environment


def launcher(mpi, ranks):
    return {"openmpi": ["mpirun.openmpi", "--oversubscribe", "-np", str(ranks)],
            "mpich": ["mpiexec.hydra", "-n", str(ranks)]}[mpi]


def query(timeline, *queries):
    """The rows of each query."""
    result = subprocess.run(
        ["node", os.environ["PERSEID_TRACE_QUERY"], str(timeline), "--json", *queries],
        env={**os.environ, "TRACE_PROCESSOR": os.environ["PERSEID_TRACE_PROCESSOR"]},
        capture_output=True, text=True, timeout=120)
    if result.returncode != 0:
        raise AssertionError(result.stdout + result.stderr)
    return [answer["rows"] for answer in json.loads(result.stdout)]


def count(timeline, sql):
    return int(query(timeline, sql)[0][0][0])


class MpiCase(unittest.TestCase):
    # CMake knows what is missing: here it must not become a loop without rounds.
    mpis = tuple(name for name, tool in (("openmpi", "mpirun.openmpi"), ("mpich", "mpiexec.hydra"))
                 if shutil.which(tool) and (PROGRAMS / name).is_dir())

    def setUp(self):
        self.assertTrue(self.mpis, "neither Open MPI nor MPICH is installed")
        if "PERSEID_REQUIRE_ALL" in os.environ:
            self.assertEqual(self.mpis, ("openmpi", "mpich"))
        directory = tempfile.TemporaryDirectory(prefix="perseid-mpi-")
        self.addCleanup(directory.cleanup)
        self.here = pathlib.Path(directory.name)
        self.addCleanup(self.remove_rings)
        self.environment = clean_environment()

    def remove_rings(self):
        for manifest in self.here.rglob("*.capture/manifest"):
            facts = dict(line.split(" ", 1) for line in manifest.read_text().splitlines() if " " in line)
            rings = pathlib.Path(facts.get("rings", "/nowhere"))
            if rings.is_dir() and rings != manifest.parent:
                shutil.rmtree(rings)

    def run_in(self, words, **more):
        result = subprocess.run(list(map(str, words)), cwd=self.here, capture_output=True, text=True,
                                env={**self.environment, **more}, timeout=90)
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        return result

    def names(self, pattern="*"):
        return sorted(path.relative_to(self.here).as_posix() for path in self.here.rglob(pattern))

    def facts(self, timeline):
        return json.loads((self.here / timeline).read_text())["otherData"]

    def check_messages(self, timeline, sent):
        """Every message has its arrow, none leads back in time, and nothing is lost."""
        losses, arrows, backward = query(self.here / timeline, LOSSES, MESSAGES, BACKWARD)
        self.assertEqual(losses, [])
        self.assertEqual(int(arrows[0][0]), sent)
        self.assertEqual(int(backward[0][0]), 0)


def sent_by(result):
    return int(re.search(r"^sent (\d+)$", result.stdout, re.M).group(1))


def main():
    unittest.main(verbosity=2)
