"""Threads are named, and show where they are bound."""

import os
import re

from openmp_case import OpenmpCase, main


class Threads(OpenmpCase):
    def test_bound_threads_show_core_and_numa_node(self):
        timeline = self.trace("stress", "tiny", "10", OMP_NUM_THREADS="2", OMP_PROC_BIND="close",
                              OMP_PLACES="threads")
        names = timeline.threads()
        self.assertEqual(len(names), 2)
        processors = len(os.sched_getaffinity(0))
        for name, base in zip(sorted(names), ("OpenMP thread 1", "stress")):
            self.assertRegex(name, rf"^{base} · core \d+ · NUMA \d+$")
        if processors > 1:
            self.assertEqual(len({re.search(r"core \d+", name)[0] for name in names}), 2)

    def test_threads_that_are_free_to_move_show_none(self):
        names = self.trace("stress", "tiny", "10", OMP_NUM_THREADS="2", OMP_PROC_BIND="false").threads()
        self.assertEqual(sorted(names), ["OpenMP thread 1", "stress"])


if __name__ == "__main__":
    main()
