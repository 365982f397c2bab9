"""Every capture that an earlier Perseid left is opened, and its timelines hold what they should.

The captures are never renewed. When what is drawn of them changes on purpose, this renews what is
expected, and the difference is reviewed:

    PERSEID_TOOL=build/perseid tests/golden/golden_test.py --renew
"""

import collections
import json
import os
import pathlib
import subprocess
import sys
import tarfile
import tempfile
import unittest

PERSEID = os.environ["PERSEID_TOOL"]
GOLDEN = pathlib.Path(__file__).parent
VERSIONS = sorted(path for path in GOLDEN.glob("v*") if path.is_dir())


def perseid(*words, here):
    environment = {k: v for k, v in os.environ.items() if not k.startswith("PERSEID")}
    return subprocess.run([PERSEID, *map(str, words)], cwd=here, env=environment, text=True, capture_output=True,
                          timeout=120)


def events_of(text):
    """The counts in the section `events` of what `perseid check` prints."""
    section = text.partition("\nevents\n")[2].partition("\nlanes\n")[0]
    pairs = (line.split(None, 1) for line in section.splitlines())
    return {name: int(count) for count, name in pairs}


def by_category(events, phase):
    return dict(sorted(collections.Counter(e.get("cat", "") for e in events if e["ph"] == phase).items()))


def counts_of_json(path):
    """Names come from symbols, which another machine may lack: categories do not."""
    events = json.loads(path.read_text())["traceEvents"]
    return {
        "slices": by_category(events, "X"),
        "instants": by_category(events, "i"),
        "arrow starts": sum(e["ph"] == "s" for e in events),
        "arrow ends": sum(e["ph"] in "tf" for e in events),
        "samples": dict(sorted(collections.Counter(e["name"] for e in events if e["ph"] == "C").items())),
    }


def describe(captures, verb, here):
    """What check and export (or merge) find."""
    result = {}
    for capture in captures:
        checked = perseid("check", capture, here=here)
        result[capture.stem] = {"check": checked.returncode, "records": events_of(checked.stdout),
                                "lost": lost_in(checked.stdout)}
    for suffix in ("json", "pftrace"):
        out = here / f"out.{suffix}"
        written = perseid(verb, "-o", out, *captures, here=here)
        if written.returncode != 0:
            raise AssertionError(written.stderr)
        checked = perseid("check", out, here=here)
        result[suffix] = {"check": checked.returncode, "events": events_of(checked.stdout)}
        if suffix == "json":
            result[suffix] |= counts_of_json(out)
        out.unlink()
    return result


def lost_in(text):
    lines = (line.split() for line in text.splitlines())
    return next(int(words[1]) for words in lines if len(words) == 2 and words[0] == "lost")


def describe_all(version):
    """By name of the capture; the ranks of a job are merged into one timeline, too."""
    found = {}
    with tempfile.TemporaryDirectory(prefix="perseid-golden-") as directory:
        here = pathlib.Path(directory)
        for archive in sorted(version.glob("*.tar.xz")):
            with tarfile.open(archive) as opened:
                opened.extractall(here)
        for capture in sorted(here.glob("*.capture")):
            found[capture.stem] = describe([capture], "export", here)
        found["mpi merged"] = describe(sorted(here.glob("mpi-*.capture")), "merge", here)
    return found


class Golden(unittest.TestCase):
    maxDiff = None

    def test_each_capture_holds_what_it_held(self):
        self.assertTrue(VERSIONS)
        for version in VERSIONS:
            expected = json.loads((version / "expected.json").read_text())
            found = describe_all(version)
            self.assertEqual(sorted(found), sorted(expected))
            for name, counts in expected.items():
                with self.subTest(version=version.name, capture=name):
                    self.assertEqual(found[name], counts)


def renew():
    for version in VERSIONS:
        text = json.dumps(describe_all(version), indent=1, sort_keys=True)
        (version / "expected.json").write_text(text + "\n")


if __name__ == "__main__":
    if sys.argv[1:] == ["--renew"]:
        renew()
    else:
        unittest.main(verbosity=2)
