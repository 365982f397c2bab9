"""Each construct appears as often as the program uses it, at its line, under its name."""

import collections

from openmp_case import OpenmpCase, lines_of, main

THREADS = 4
LINES = lines_of("constructs.cpp")


class Constructs(OpenmpCase):
    """One run of programs/constructs.cpp, looked at from several sides."""

    def test_constructs(self):
        timeline = self.trace("constructs", OMP_CANCELLATION="true")
        self.assert_slices_nest(timeline)
        for check in (self.tasks, self.dependences, self.kinds, self.teams, self.waits, self.work,
                      self.mutexes, self.counters):
            with self.subTest(check.__name__):
                check(timeline)
        with self.subTest("trace processor"):
            self.as_perfetto_sees_it(timeline)

    def at(self, function, mark):
        return rf"^{function} \(constructs\.cpp:{LINES[mark]}\)$"

    def created(self, timeline, function, mark):
        return timeline.count("openmp.create", rf"^create {function} \(constructs\.cpp:{LINES[mark]}\)$")

    def tasks(self, timeline):
        self.assertEqual(self.created(timeline, "simple_tasks", "simple_tasks"), 100)
        self.assertEqual(timeline.count("openmp.task", self.at("simple_tasks", "simple_tasks")), 100)
        # fib(10) creates two tasks in each of its calls but the 89 with n < 2.
        fib = [e for e in timeline.find("openmp.task", r"^fib \(constructs")]
        self.assertEqual(len(fib), 176)
        self.assertEqual(timeline.count("openmp.wait", rf"^taskwait fib \(constructs\.cpp:{LINES['fib_taskwait']}\)"), 88)
        self.assertEqual(self.created(timeline, "grouped_tasks", "grouped"), 10)
        self.assertEqual(self.created(timeline, "grouped_tasks", "grandchild"), 10)
        self.assertEqual(timeline.count("openmp.task", self.at("task_loops", "taskloop")), 8)
        self.assertEqual(timeline.count("openmp.task", self.at("task_loops", "taskloop_nogroup")), 4)
        # Every task that was created and not cancelled has run.
        first = {e["args"]["task"] for e in timeline.find("openmp.task")}
        created = {e["args"]["task"] for e in timeline.find("openmp.create")}
        never = {e["args"]["task"] for e in timeline.find("openmp", "^(task cancelled|dependences satisfied)")}
        self.assertEqual(created - first, never)

    def dependences(self, timeline):
        counts = collections.Counter()
        for mark in ("first_writer", "reader", "second_writer", "exclusive", "last_reader"):
            for e in timeline.find("openmp.task", self.at("dependent_tasks", mark)):
                counts[mark] += e["args"]["depends_on"]
        self.assertEqual(counts, {"first_writer": 0, "reader": 3, "second_writer": 3, "exclusive": 2, "last_reader": 2})
        self.assertEqual(timeline.count("openmp", "^dependences satisfied$"), 6)

    def kinds(self, timeline):
        def kind(mark, function="kinds_of_tasks"):
            found = timeline.find("openmp.task", self.at(function, mark))
            self.assertGreaterEqual(len(found), 1, mark)
            return found[0]["args"].get("kind", "")
        self.assertIn("undeferred", kind("undeferred"))
        self.assertIn("final", kind("final"))
        self.assertIn("final", kind("included"))
        self.assertIn("untied", kind("untied"))
        self.assertEqual(timeline.count("openmp", "^event fulfilled$"), 1)
        self.assertEqual(timeline.count("openmp.task", self.at("kinds_of_tasks", "mergeable")), 1)

    def teams(self, timeline):
        outer = rf"^parallel nested_regions \(constructs\.cpp:{LINES['outer']}\)$"
        inner = rf"^parallel nested_regions \(constructs\.cpp:{LINES['inner']}\)$"
        self.assertEqual(timeline.count("openmp.parallel", outer), 2)
        self.assertEqual(timeline.count("openmp.parallel", inner), 2 * 3)
        other = timeline.find("openmp.parallel", rf"^parallel second_initial_thread \(constructs\.cpp:{LINES['second_initial']}\)$")
        self.assertEqual(len(other), 2)
        self.assertTrue(any(name.startswith("OpenMP thread ") for name in timeline.threads()))

    def waits(self, timeline):
        self.assertEqual(timeline.count("openmp.wait", rf"^barrier other_work \(constructs\.cpp:{LINES['barrier']}\)$"), THREADS)
        # The end of the sections, of the single, two explicit ones, and the end of the region.
        self.assertEqual(timeline.count("openmp.wait", r"^barrier other_work \("), 5 * THREADS)
        self.assertEqual(timeline.count("openmp.work", r"^taskgroup grouped_tasks \("), 1)
        self.assertEqual(timeline.count("openmp.wait", r"^taskgroup wait"), 3)

    def work(self, timeline):
        static = timeline.find("openmp.work", rf"^loop( static)? loops \(constructs\.cpp:{LINES['static_loop']}\)$")
        self.assertEqual(len(static), THREADS)
        self.assertEqual({e["args"]["iterations"] for e in static} - {25, 100}, set())
        dynamic = timeline.find("openmp.work", rf"^loop( dynamic)? loops \(constructs\.cpp:{LINES['dynamic_loop']}\)$")
        self.assertEqual(len(dynamic), THREADS)
        self.assertEqual(timeline.count("openmp.work", r"^sections other_work"), THREADS)
        self.assertEqual(timeline.count("openmp.work", rf"^single other_work \(constructs\.cpp:{LINES['single']}\)"), 1)
        self.assertEqual(timeline.count("openmp.work", rf"^masked other_work \(constructs\.cpp:{LINES['master']}\)"), 1)
        self.assertEqual(timeline.count("openmp.work", r"^taskloop task_loops \("), 2)
        cancels = timeline.find("openmp", rf"^cancel cancelled_group \(constructs\.cpp:{LINES['cancel']}\)")
        self.assertEqual([e["args"]["state"] for e in cancels], ["activated"])
        self.chunks(timeline, dynamic)

    def chunks(self, timeline, dynamic):
        """From LLVM 15 on the runtime tells each chunk of a dynamic loop."""
        chunks = [
            c for c in timeline.find("openmp.work", r"^chunk \w+ \(constructs\.cpp:\d+\)$")
            for d in dynamic
            if c["tid"] == d["tid"] and d["ts"] <= c["ts"] <= d["ts"] + d["dur"]]
        if chunks:
            self.assertEqual(len(chunks), 10)
            self.assertEqual({c["name"].split("(")[1] for c in chunks}, {d["name"].split("(")[1] for d in dynamic})
        self.assertEqual(timeline.count("openmp.work", "^chunk$"), 0)

    def mutexes(self, timeline):
        self.assertEqual(timeline.count("openmp.mutex", rf"^critical mutexes \(constructs\.cpp:{LINES['critical']}\)$"), 5 * THREADS)
        self.assertEqual(timeline.count("openmp.mutex", rf"^lock mutexes \(constructs\.cpp:{LINES['lock']}\)$"), THREADS)
        self.assertEqual(timeline.count("openmp.mutex", rf"^ordered mutexes \(constructs\.cpp:{LINES['ordered']}\)$"), 10)
        self.assertEqual(timeline.count("openmp.mutex", r"^nest lock mutexes"), THREADS)
        # None of the tested runtimes tells atomics; one that did would tell one of each thread.
        self.assertIn(timeline.count("openmp.mutex", r"^atomic mutexes"), (0, THREADS))

    def counters(self, timeline):
        last = {}
        for e in timeline.events:
            if e["ph"] == "C":
                last[e["name"]], = e["args"].values()
        self.assertEqual(last["OpenMP tasks submitted"], 0)
        self.assertEqual(last["OpenMP tasks ready"], 0)
        self.assertEqual(last["OpenMP tasks running"], 0)
        # Has no row if each task found those it depends on done.
        self.assertEqual(last.get("OpenMP tasks waiting for dependences", 0), 0)

    def as_perfetto_sees_it(self, timeline):
        slices, creation, dependences, threads = self.ask(
            timeline,
            "select count(*) from slice where category like 'openmp%'",
            "select count(*) from flow f join slice a on f.slice_out = a.id join slice b on f.slice_in = b.id "
            "where a.category = 'openmp.create' and b.category = 'openmp.task'",
            "select count(*) from flow f join slice a on f.slice_out = a.id join slice b on f.slice_in = b.id "
            "where a.name like 'dependent_tasks (%' and b.name like 'dependent_tasks (%'",
            "select count(distinct utid) from slice s join thread_track t on s.track_id = t.id "
            "where s.category like 'openmp%'")
        self.assertEqual(int(slices[0][0]), sum(e["cat"].startswith("openmp") for e in timeline.slices))
        tasks = {e["args"]["task"] for e in timeline.find("openmp.task")}
        self.assertEqual(int(creation[0][0]), len(tasks))
        self.assertEqual(int(dependences[0][0]), 10)
        self.assertGreaterEqual(int(threads[0][0]), THREADS)


if __name__ == "__main__":
    main()
