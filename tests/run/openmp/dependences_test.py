"""Arrows between tasks are the edges that the dependences of the program mean."""

from openmp_case import OpenmpCase, main

IN, OUT, EXCLUSIVE = "in", "out", "exclusive"
KINDS = {0: (IN, IN), 1: (IN, OUT), 2: (OUT, OUT), 3: (EXCLUSIVE, IN)}


def expected_edges(lines):
    """An own account of OpenMP's rules: pairs of task numbers, counted from 1."""
    current, previous, edges = {}, {}, set()
    for line in lines:
        _, task, kind, a, b = line.split()
        task = int(task) + 1
        accesses = {}
        for variable, access in zip((a, b), KINDS[int(kind)]):
            accesses[variable] = access if accesses.get(variable, access) == access else OUT
        for variable, access in accesses.items():
            mode, members = current.get(variable, (None, []))
            if access != OUT and access == mode:
                edges |= {(earlier, task) for earlier in previous.get(variable, [])}
                members.append(task)
            else:
                edges |= {(earlier, task) for earlier in members}
                previous[variable] = members
                current[variable] = (access, [task])
    return edges


class Dependences(OpenmpCase):
    def test_random_graph(self):
        timeline = self.trace("random_graph", "400")
        lines = [line for line in self.run_program("random_graph", "400").stdout.splitlines()]
        wanted = expected_edges(lines)
        rows, = self.ask(
            timeline,
            "select extract_arg(a.arg_set_id, 'args.task'), extract_arg(b.arg_set_id, 'args.task') from flow f "
            "join slice a on f.slice_out = a.id join slice b on f.slice_in = b.id "
            "where a.category = 'openmp.task' and b.category = 'openmp.task'")
        drawn = {(int(a), int(b)) for a, b in rows}
        self.assertEqual(drawn, wanted)
        self.assertGreater(len(wanted), 400)
        # No task begins before those it depends on have ended.
        slices = {e["args"]["task"]: e for e in timeline.find("openmp.task")}
        for earlier, later in wanted:
            self.assertLessEqual(slices[earlier]["ts"] + slices[earlier]["dur"], slices[later]["ts"] + 1e-6)


if __name__ == "__main__":
    main()
