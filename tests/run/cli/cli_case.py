"""Runs the command line in an empty directory and a clean environment."""

import contextlib
import json
import os
import pathlib
import signal
import subprocess
import tempfile
import unittest

PERSEID = os.environ["PERSEID_TOOL"]
TRACED = os.environ["PERSEID_TRACED"]


def clean_environment():
    """Without what a batch job or the caller's own settings would add to names."""
    prefixes = ("PERSEID", "STARPU", "SLURM", "PMI", "OMPI", "MV2", "PALS", "FLUX", "PBS", "LSB", "LD_")
    return {k: v for k, v in os.environ.items() if not k.startswith(prefixes)}


def children_of(pid, *, is_witness=False):
    """Without the process that shows `perseid run` what is sent to its group, or only that."""
    children = pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return [int(child) for child in children
            if (pathlib.Path(f"/proc/{child}/comm").read_text() == "perseid-witness\n") == is_witness]


def end_with_children(process):
    """A program that a failed test left behind would hold our pipes open for ever."""
    if process.poll() is None:
        children = list(children_of(process.pid))
        process.kill()  # first: it would tidy up after its child
        for child in children:
            with contextlib.suppress(ProcessLookupError):
                os.kill(child, signal.SIGKILL)
    process.communicate()


def library():
    return os.environ["PERSEID_TEST_LIBRARY"]


def namespace():
    """The words that start a command as process 1 of a namespace with its own /proc."""
    as_root = [] if os.geteuid() == 0 else ["--user", "--map-root-user"]
    return ["unshare", *as_root, "--pid", "--fork", "--mount-proc"]


class CliCase(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory(prefix="perseid-cli-")
        self.addCleanup(directory.cleanup)
        self.here = pathlib.Path(directory.name)
        self.addCleanup(self.remove_rings)
        self.environment = clean_environment()

    def remove_rings(self):
        """Rings of captures that a test leaves behind lie outside of its directory."""
        for manifest in self.here.rglob("*.capture/manifest"):
            facts = dict(line.split(" ", 1) for line in manifest.read_text().splitlines() if " " in line)
            rings = pathlib.Path(facts.get("rings", "/nowhere"))
            for ring in rings.glob("[0-9]*.ring"):
                ring.unlink()
            if rings.is_dir() and rings != manifest.parent:
                rings.rmdir()

    def start(self, *words, **options):
        process = subprocess.Popen(
            [PERSEID, *words], cwd=self.here, env=self.environment, text=True,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, **options)
        self.addCleanup(end_with_children, process)
        return process

    def perseid(self, *words, **options):
        return subprocess.run(
            [PERSEID, *words], cwd=self.here, env=self.environment, text=True, capture_output=True,
            timeout=60, **options)

    def timelines(self):
        return sorted(path for path in self.everything() if ".json" in path.name and path.is_file())

    def captures(self):
        return sorted(path for path in self.everything() if path.name.endswith(".capture"))

    def everything(self):
        """Unlike rglob, content with directories that go away meanwhile."""
        for parent, directories, files in os.walk(self.here):
            yield from (pathlib.Path(parent) / name for name in directories + files)

    def the_timeline(self):
        found = self.timelines()
        self.assertEqual(len(found), 1, found)
        return found[0]

    def steps(self, timeline):
        """How many of traced.c's ranges the timeline shows."""
        events = json.loads(timeline.read_text())
        events = events["traceEvents"] if isinstance(events, dict) else events
        return sum(1 for e in events if e.get("name") == "step" and e.get("ph") == "X")


def main():
    unittest.main(verbosity=2)
