"""Signals reach the program as if `perseid run` were not there."""

import os
import pathlib
import signal
import subprocess
import time

from cli_case import PERSEID, TRACED, CliCase, children_of, main


def state_of(pid):
    return pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0]


def has_ended(pid):
    """A zombie has ended: not every process 1 of a container reaps what others left."""
    try:
        return state_of(pid) == "Z"
    except (FileNotFoundError, ProcessLookupError):
        return True


def until(condition, seconds=20):
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            raise TimeoutError
        time.sleep(0.01)


class Signals(CliCase):
    def start_and_wait(self, **options):
        process = self.start("run", "--", TRACED, "signals", **options)
        self.assertEqual(process.stdout.readline(), "ready\n")
        until(lambda: len(children_of(process.pid)) == 1)  # the witness has its name by now
        return process

    def test_what_is_sent_to_us_is_passed_on(self):
        process = self.start_and_wait()
        for number, line in ((signal.SIGUSR1, "USR1\n"), (signal.SIGHUP, "HUP\n"), (signal.SIGTERM, "TERM\n")):
            process.send_signal(number)
            self.assertEqual(process.stdout.readline(), line)
        self.assertEqual(process.wait(20), 3)
        self.assertEqual(self.steps(self.the_timeline()), 100)

    def test_an_interrupt_from_another_process_is_passed_on(self):
        process = self.start_and_wait()
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.wait(20), -signal.SIGINT)
        self.assertEqual(self.steps(self.the_timeline()), 100)

    def test_what_the_whole_group_gets_comes_once(self):
        for _ in range(5):
            process = self.start_and_wait(process_group=0)
            until(lambda: children_of(process.pid, is_witness=True))  # the program may be quicker
            for number, line in ((signal.SIGUSR1, "USR1\n"), (signal.SIGHUP, "HUP\n")):
                os.killpg(process.pid, number)
                self.assertEqual(process.stdout.readline(), line)
                process.send_signal(number)  # the same again, to us alone, by the same sender: an echo
            time.sleep(1.1)  # what comes later is no echo
            process.send_signal(signal.SIGUSR1)
            self.assertEqual(process.stdout.readline(), "USR1\n")
            os.killpg(process.pid, signal.SIGTERM)
            self.assertEqual(process.wait(20), 3)
            self.assertEqual(process.stdout.read(), "TERM\n")

    def test_no_process_of_ours_stays_behind(self):
        process = self.start_and_wait()
        until(lambda: children_of(process.pid, is_witness=True))
        (witness,) = children_of(process.pid, is_witness=True)
        (child,) = children_of(process.pid)
        self.addCleanup(os.kill, child, signal.SIGTERM)
        process.kill()
        process.wait()
        until(lambda: has_ended(witness))

    def test_job_control_stops_and_continues_both(self):
        process = self.start_and_wait(process_group=0)
        (child,) = children_of(process.pid)
        os.killpg(process.pid, signal.SIGTSTP)
        until(lambda: state_of(process.pid) == "T" and state_of(child) == "T")
        os.killpg(process.pid, signal.SIGCONT)
        until(lambda: state_of(process.pid) != "T" and state_of(child) != "T")
        process.terminate()
        self.assertEqual(process.wait(20), 3)

    def test_stopping_the_program_alone_does_not_stop_us(self):
        process = self.start_and_wait()
        (child,) = children_of(process.pid)
        os.kill(child, signal.SIGSTOP)
        until(lambda: state_of(child) == "T")
        time.sleep(0.3)  # what must not happen has no moment
        self.assertNotEqual(state_of(process.pid), "T")
        os.kill(child, signal.SIGCONT)
        process.terminate()
        self.assertEqual(process.wait(20), 3)

    def test_the_program_finds_masks_and_dispositions_as_they_were(self):
        def prepare():
            signal.signal(signal.SIGHUP, signal.SIG_IGN)
            signal.signal(signal.SIGCHLD, signal.SIG_IGN)
            signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGUSR2])

        def dispositions(*words):
            return subprocess.run([*words, TRACED, "dispositions"], cwd=self.here, text=True,
                                  env=self.environment, stdout=subprocess.PIPE,
                                  preexec_fn=prepare, timeout=20).stdout

        plain = dispositions()
        self.assertIn("SigIgn", plain)
        self.assertEqual(dispositions(PERSEID, "run", "-q", "--"), plain)


main()
