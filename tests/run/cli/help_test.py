"""Help is everywhere, and wrong calls are answered with what was probably meant."""

import re

from cli_case import CliCase, main


VERBS = ("run", "export", "report", "merge", "check", "dump", "query", "env")


class Help(CliCase):
    def test_every_verb_explains_itself_on_stdout(self):
        for verb in VERBS:
            for words in ((verb, "--help"), (verb, "-h"), ("help", verb)):
                result = self.perseid(*words)
                self.assertEqual(result.returncode, 0)
                self.assertIn(f"usage: perseid {verb}", result.stdout)
                self.assertEqual(result.stderr, "")

    def test_the_overview_lists_the_verbs(self):
        for words in (("--help",), ("-h",), ("help",)):
            result = self.perseid(*words)
            self.assertEqual(result.returncode, 0)
            self.assertEqual(tuple(re.findall(r"^  ([a-z]+)  ", result.stdout, re.M)), VERBS)

    def test_without_a_verb_the_overview_goes_to_stderr(self):
        result = self.perseid()
        self.assertEqual(result.returncode, 2)
        self.assertEqual(result.stdout, "")
        self.assertIn("usage: perseid VERB", result.stderr)

    def test_the_version_is_reported(self):
        result = self.perseid("--version")
        self.assertEqual(result.returncode, 0)
        self.assertRegex(result.stdout, r"^perseid \d+\.\d+\.\d+\n$")

    def test_an_unknown_verb_names_the_nearest(self):
        result = self.perseid("exprot")
        self.assertEqual(result.returncode, 2)
        self.assertEqual(result.stderr, 'perseid: unknown verb "exprot"; did you mean "export"?\n')
        self.assertIn("see `perseid --help`", self.perseid("telescope").stderr)

    def test_an_unknown_option_names_the_nearest(self):
        result = self.perseid("run", "--kep", "--", "true")
        self.assertEqual(result.returncode, 2)
        self.assertIn('unknown option "--kep"; did you mean "--keep"?', result.stderr)
        self.assertEqual(self.perseid("env", "-z").returncode, 2)

    def test_options_that_miss_or_refuse_a_value_are_reported(self):
        self.assertIn("-o needs a value", self.perseid("export", "x", "-o").stderr)
        self.assertIn("--keep takes no value", self.perseid("run", "--keep=1", "true").stderr)

    def test_missing_operands_are_reported(self):
        for verb in VERBS[:-1]:
            result = self.perseid(verb)
            self.assertEqual(result.returncode, 2, verb)
            self.assertIn("--help", result.stderr)

    def test_a_closed_stdout_is_no_success(self):
        with open("/dev/full", "w") as full:
            import subprocess
            from cli_case import PERSEID
            status = subprocess.run([PERSEID, "--help"], stdout=full, env=self.environment).returncode
        self.assertEqual(status, 1)


main()
