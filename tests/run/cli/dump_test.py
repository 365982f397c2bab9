"""`perseid dump` prints every record of a capture, with a name for every word."""

import os
import pathlib
import re
import signal
import subprocess
import tarfile

from cli_case import PERSEID, TRACED, CliCase, main

GOLDEN = pathlib.Path(__file__).resolve().parents[2] / "golden" / "v1"
LINE = re.compile(r'(\d+\.\d{9}) (\d+) "((?:[^"\\]|\\.)*)" ([a-z_]+\.[a-z_]+|hole)( .*)?')


class Dump(CliCase):
    def capture(self):
        self.perseid("run", "--keep", "-o", "t.json", "--", TRACED)
        return "t.capture"

    def golden(self, name):
        """A capture that a real program has left; see tests/golden."""
        with tarfile.open(GOLDEN / f"{name}.tar.xz") as archive:
            archive.extractall(self.here, filter="data")
        return f"{name}.capture"

    def dump(self, *words):
        result = self.perseid("dump", *words)
        self.assertEqual(result.returncode, 0, result.stderr)
        return result.stdout.splitlines()

    def test_a_traced_program_is_printed_in_order_of_time(self):
        lines = self.dump(self.capture())
        for line in lines:
            self.assertRegex(line, LINE)
        times = [float(line.split()[0]) for line in lines]
        self.assertEqual(times, sorted(times))
        begins = [line for line in lines if " annotations.range_begin name=\"step\"" in line]
        self.assertEqual(len(begins), 100)
        self.assertEqual(sum(" annotations.range_end depth=" in line for line in lines), 100)

    def test_every_record_of_every_runtime_is_printed_and_every_word_has_a_name(self):
        for archive in sorted(GOLDEN.glob("*.tar.xz")):
            name = archive.name.removesuffix(".tar.xz")
            capture = self.golden(name)
            lines = [line for line in self.dump(capture) if not re.search(r'" hole ', line)]
            facts = self.perseid("check", capture).stdout
            self.assertEqual(len(lines), int(re.search(r"^  records +(\d+)$", facts, re.M)[1]), name)
            for line in lines:
                self.assertRegex(line, LINE, name)
                self.assertNotRegex(line, r" (word\[\d+\]|arg|short|unreadable_words)=", name)

    def test_a_starpu_task_shows_its_fields(self):
        lines = self.dump("--kind", "starpu.submit,starpu.exec_begin", self.golden("starpu_dependencies"))
        submits = [line for line in lines if " starpu.submit " in line]
        self.assertGreater(len(submits), 0)
        for line in submits:
            self.assertRegex(
                line, r" name=(none|\".*\") task=0x[0-9a-f]+ codelet=0x[0-9a-f]+ priority=-?\d+ "
                r"context=\d+ flags=\S+ worker=-?\d+")
        self.assertTrue(any(re.search(r" handle\[0\]=0x[0-9a-f]+ mode\[0\]=[a-z_+]+ bytes\[0\]=\d+", line)
                            for line in submits))
        tasks = {re.search(r" task=(\S+)", line)[1] for line in submits}
        begins = [line for line in lines if " starpu.exec_begin " in line]
        self.assertGreater(len(begins), 0)
        for line in begins:
            self.assertIn(re.search(r" task=(\S+)", line)[1], tasks)

    def test_the_selection_is_kept_to(self):
        capture = self.golden("starpu_dependencies")
        everything = self.dump(capture)
        self.assertEqual(self.dump("-n", "5", capture), everything[:5])
        stream = LINE.match(everything[0])[2]
        self.assertEqual(self.dump("--stream", stream, capture),
                         [line for line in everything if LINE.match(line)[2] == stream])
        self.assertEqual(self.dump("-k", "starpu.push", capture),
                         [line for line in everything if " starpu.push " in line])
        middle = everything[len(everything) // 2].split()[0]
        self.assertEqual(self.dump("--from", middle, capture),
                         [line for line in everything if float(line.split()[0]) >= float(middle)])
        thread = LINE.match(everything[-1])[3]
        self.assertEqual({LINE.match(line)[3] for line in self.dump("--thread", thread, capture)}, {thread})

    def test_a_hole_and_damage_are_shown(self):
        capture = self.capture()
        spool = self.here / capture / "spool"
        content = bytearray(spool.read_bytes())
        content[len(content) // 2] ^= 0xFF
        spool.write_bytes(content)
        result = self.perseid("dump", capture)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertRegex(result.stdout, r'" hole position=\d+ bytes=\d+ unreadable\n')
        self.assertIn("perseid check", result.stderr)

    def test_a_reader_that_leaves_is_no_error(self):
        capture = self.golden("killed")
        for on_pipe in (signal.SIG_IGN, signal.SIG_DFL):
            process = subprocess.Popen(
                [PERSEID, "dump", capture], cwd=self.here, env=self.environment, restore_signals=False,
                preexec_fn=lambda action=on_pipe: signal.signal(signal.SIGPIPE, action),
                stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            process.stdout.readline()
            process.stdout.close()
            self.assertEqual(process.stderr.read(), b"")
            process.stderr.close()
            self.assertEqual(process.wait(timeout=60), 0 if on_pipe == signal.SIG_IGN else -signal.SIGPIPE)

    def test_a_full_disk_is_an_error(self):
        with open("/dev/full", "w") as full:
            result = subprocess.run([PERSEID, "dump", self.golden("killed")], cwd=self.here, stdout=full,
                                    stderr=subprocess.PIPE, text=True, env=self.environment)
        self.assertEqual(result.returncode, 1)
        self.assertIn("No space left", result.stderr)

    def test_random_bytes_are_survived(self):
        capture = self.capture()
        for name in ("spool", "strings", "state"):
            path = self.here / capture / name
            whole = path.read_bytes()
            path.write_bytes(whole[:64] + os.urandom(len(whole) - 64))
            self.assertIn(self.perseid("dump", capture).returncode, (0, 2), name)
            path.write_bytes(whole)

    def test_wrong_calls_are_refused(self):
        for words in (("--kind", "starpu.sumbit"), ("--stream", "x"), ("--from", "soon"), ("-n", "few"),
                      ("--from", "2", "--to", "1")):
            result = self.perseid("dump", *words, "no-such.capture")
            self.assertEqual(result.returncode, 2, words)
            self.assertIn("dump --help", result.stderr)
        self.assertEqual(self.perseid("dump", "no-such.capture").returncode, 2)


main()
