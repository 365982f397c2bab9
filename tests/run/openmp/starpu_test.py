"""Codelets that open parallel regions: both runtimes in one timeline of one session."""

import os

from openmp_case import LIBRARY, PERSEID, OpenmpCase, lines_of, main


class Starpu(OpenmpCase):
    STARPU = {"STARPU_NCPU": "2", "STARPU_SILENT": "1", "STARPU_NOPENCL": "0", "STARPU_NCUDA": "0",
              "STARPU_HOME": os.environ["PERSEID_STARPU_HOME"]}
    LINES = lines_of("starpu_teams.cpp")

    def check(self, result):
        plain = self.run_program("starpu_teams", **self.STARPU)
        self.assertEqual((result.stdout, result.returncode), (plain.stdout, 0), result.stderr)
        self.assertEqual(plain.stdout, "16 members, 32 inner tasks\n")
        self.stderr = result.stderr
        timeline = self.the_timeline()
        self.assert_slices_nest(timeline)
        self.assertEqual(timeline.count("task", "^team$"), 8)
        team = rf"^parallel open_team \(starpu_teams\.cpp:{self.LINES['team']}\)$"
        inner = rf"^open_team \(starpu_teams\.cpp:{self.LINES['inner']}\)$"
        self.assertEqual(timeline.count("openmp.parallel", team), 16)
        self.assertEqual(timeline.count("openmp.task", inner), 32)
        inside, processes = self.ask(
            timeline,
            "select count(*) from slice r join ancestor_slice(r.id) t where r.category = 'openmp.parallel' "
            "and t.category = 'task' and t.name = 'team'",
            "select count(distinct upid) from process join thread using(upid) join thread_track using(utid)")
        self.assertEqual(int(inside[0][0]), 8)
        self.assertEqual(int(processes[0][0]), 1)
        names = timeline.threads()
        self.assertEqual(sum(name.startswith("CPU ") for name in names), 2, names)
        self.assertEqual(sum(name.startswith("OpenMP thread ") for name in names), 2, names)

    def test_under_perseid_run(self):
        self.check(self.run_program("starpu_teams", prefix=(PERSEID, "run", "--"), **self.STARPU))

    def test_with_both_entry_points(self):
        self.check(self.run_program("starpu_teams", LD_PRELOAD=LIBRARY, OMP_TOOL_LIBRARIES=LIBRARY,
                                    STARPU_TRACE_PLUGIN="on", **self.STARPU))


if __name__ == "__main__":
    main()
