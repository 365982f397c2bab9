"""Where timelines and captures go, and what is said about them."""

from cli_case import TRACED, CliCase, main


class Output(CliCase):
    def run_traced(self, *options):
        result = self.perseid("run", *options, "--", TRACED)
        self.assertEqual(result.returncode, 0, result.stderr)
        return result

    def test_the_default_name_has_program_and_process(self):
        result = self.run_traced()
        self.assertRegex(self.the_timeline().name, r"^perseid-[^/]*traced-\d+\.json$")
        self.assertIn(self.the_timeline().name, result.stderr)
        self.assertEqual(result.stderr.count("\n"), 1)
        self.assertEqual(result.stdout, "")
        self.assertEqual(self.captures(), [])

    def test_a_pattern_names_the_file(self):
        self.environment["PMIX_RANK"] = "3"
        self.run_traced("-o", "rank-%r.json")
        self.assertEqual(self.the_timeline().name, "rank-3.json")

    def test_a_comma_and_a_blank_in_the_name_survive(self):
        self.run_traced("-o", "a,b \\c.json")
        self.assertEqual(self.the_timeline().name, "a,b \\c.json")

    def test_nothing_is_overwritten(self):
        (self.here / "t.json").write_text("precious")
        self.run_traced("-o", "t.json")
        self.run_traced("-o", "t.json")
        self.assertEqual((self.here / "t.json").read_text(), "precious")
        self.assertEqual([p.name for p in self.timelines()], ["t.1.json", "t.2.json", "t.json"])

    def test_keep_keeps_the_capture_and_export_finds_it(self):
        self.run_traced("--keep", "-o", "t.json")
        (capture,) = self.captures()
        result = self.perseid("export", str(capture), "-o", "again.json")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(self.steps(self.here / "again.json"), 100)
        self.assertEqual(self.perseid("export", str(capture), "--remove").returncode, 0)
        self.assertTrue((self.here / "t.1.json").exists())
        self.assertEqual(self.captures(), [])

    def test_removal_leaves_foreign_files(self):
        self.run_traced("--keep", "-o", "t.json")
        (capture,) = self.captures()
        (capture / "notes").write_text("mine")
        result = self.perseid("export", str(capture), "-o", "again.json", "--remove")
        self.assertEqual(result.returncode, 1)
        self.assertEqual([p.name for p in capture.iterdir()], ["notes"])

    def test_without_export_the_capture_is_the_result(self):
        result = self.run_traced("--set", "export=0", "-o", "t.json")
        self.assertEqual(self.timelines(), [])
        self.assertIn("perseid export", result.stderr)
        self.assertEqual(len(self.captures()), 1)

    def test_quiet_prints_nothing(self):
        self.assertEqual(self.run_traced("--quiet").stderr, "")
        self.assertEqual(len(self.timelines()), 1)

    def test_an_export_into_a_directory_keeps_the_name(self):
        self.run_traced("--keep", "-o", "t.json")
        (self.here / "elsewhere").mkdir()
        self.perseid("export", "t.capture", "-o", "elsewhere")
        self.assertEqual(self.steps(self.here / "elsewhere" / "t.json"), 100)

    def test_a_capture_that_is_not_there_is_reported(self):
        result = self.perseid("export", "no-such.capture")
        self.assertEqual(result.returncode, 2)
        self.assertIn("no-such.capture", result.stderr)

    def test_standard_streams_belong_to_the_program(self):
        result = self.perseid("run", "-q", "--", TRACED, "copy", input="a\nb\n")
        self.assertEqual(result.stdout, "a\nb\n")
        self.assertEqual(result.stderr, "to stderr\n")

    def test_settings_of_the_user_stay_and_off_becomes_on(self):
        self.environment["PERSEID"] = "off,mine.json"
        self.environment["STARPU_TRACE_PLUGIN"] = "0"
        self.run_traced()
        self.assertEqual(self.the_timeline().name, "mine.json")

    def test_a_relative_name_starts_where_the_user_was(self):
        (self.here / "sub").mkdir()
        result = self.perseid("run", "-o", "t.json", "--", "sh", "-c", f"cd sub && exec {TRACED}")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(self.timelines(), [self.here / "t.json"])


main()
