"""Processes that cannot see each other write into one directory, as containers do."""

import os
import subprocess

from cli_case import TRACED, CliCase, end_with_children, library, main, namespace

TRIALS = 6


class Sharing(CliCase):
    def start_first_process(self):
        """It is process 1 of a namespace of its own."""
        process = subprocess.Popen(
            [*namespace(), TRACED, "input", "300"], cwd=self.here, text=True,
            env={**self.environment, "PERSEID": "1", "LD_PRELOAD": library()},
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.addCleanup(end_with_children, process)
        self.assertEqual(process.stdout.readline(), "ready\n")
        return process

    def test_equal_process_ids_keep_their_timelines_apart(self):
        for trial in range(TRIALS):
            with self.subTest(trial=trial):
                processes = [self.start_first_process() for _ in range(2)]
                for process in processes:
                    process.stdin.close()
                    process.stdin = None
                for process in processes:
                    self.assertEqual(process.wait(60), 0)
                    self.assertIn(" 0 lost", process.stderr.read())
                found = self.timelines()
                name = f"perseid-{os.path.basename(TRACED)}-1"
                self.assertEqual([path.name for path in found], [f"{name}.1.json", f"{name}.json"])
                for timeline in found:
                    self.assertEqual(self.steps(timeline), 30000)
                    timeline.unlink()
                self.assertEqual(list(self.here.iterdir()), [])

    def test_a_file_named_twice_is_refused_and_nothing_is_left(self):
        self.assertEqual(self.perseid("run", "-k", "-q", "-o", "t.json", "--", TRACED).returncode, 0)
        for words in (("-o", "a.json", "-o", "./a.json"), ("-o", "a.json", "-f", "json+json")):
            result = self.perseid("export", "t.capture", *words)
            self.assertEqual(result.returncode, 2)
            self.assertIn("a.json twice", result.stderr)
        self.assertEqual([path.name for path in self.timelines()], ["t.json"])


main()
