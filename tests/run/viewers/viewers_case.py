"""A timeline in a viewer's real page, and what the trace processor says of the same file."""

import os
import pathlib
import subprocess
import sys

sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent / "perfetto"))

from browser import Browser  # noqa: E402
from formats_case import FormatsCase, ask  # noqa: E402

EXAMPLES = pathlib.Path(os.environ["PERSEID_EXAMPLES"])
OPENMP = pathlib.Path(os.environ["PERSEID_OPENMP_PROGRAMS"])
TORTURE = os.environ["PERSEID_MAKE_TORTURE"]
VIEWERS = pathlib.Path(os.environ["PERSEID_VIEWERS"])

# What has no length is no slice to some viewers.
SLICES = """
    select process.pid, thread.tid, s.ts, s.dur, s.depth, s.name
    from slice s join thread_track t on s.track_id = t.id join thread using (utid)
    join process using (upid) where s.dur > 0 order by 1, 2, 3, 4 desc, 5"""
LANES = """
    select distinct process.pid, process.name, thread.tid, thread.name
    from slice s join thread_track t on s.track_id = t.id join thread using (utid)
    join process using (upid)"""


def by_lane(rows):
    """[pid, tid, ...] to {(pid, tid): [(begin, dur, depth, name), ...]}; begins count from the first."""
    lanes = {}
    for pid, tid, begin, duration, depth, name in rows:
        lanes.setdefault((int(pid), int(tid)), []).append((begin, duration, int(depth), name))
    placed = {}
    for lane, slices in lanes.items():
        first = min(begin for begin, *_ in slices)
        placed[lane] = sorted(
            (round(begin - first), round(duration), depth, name) for begin, duration, depth, name in slices)
    return placed


class ViewersCase(FormatsCase):
    """Subclasses say in `address` which page they open, and read it in `read`."""

    address = None

    @classmethod
    def setUpClass(cls):
        cls.browser = Browser()
        cls.addClassCleanup(cls.browser.close)

    def perfetto(self, timeline):
        """Slices and lanes as the trace processor has them."""
        slices, lanes = ask(timeline, SLICES, LANES)
        numbers = [[p, t, int(begin), int(duration), d, n] for p, t, begin, duration, d, n in slices]
        return by_lane(numbers), {(int(pid), int(tid)): (process, thread) for pid, process, tid, thread in lanes}

    def programs(self):
        yield "annotated", self.record(EXAMPLES / "annotated")
        yield "starpu", self.record(EXAMPLES / "starpu_cholesky")
        yield "openmp", self.record(OPENMP / "constructs")

    def record(self, *command):
        capture = super().record(*command)
        return capture.rename(capture.with_name(f"{pathlib.Path(command[-1]).name}.capture"))

    def torture(self, seed):
        capture = self.here / f"{seed}.capture"
        subprocess.run([TORTURE, str(capture), str(seed)], check=True)
        return capture
