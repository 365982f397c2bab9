"""`perseid check` tells sound from damaged from unreadable."""

from cli_case import TRACED, CliCase, main


class Check(CliCase):
    def capture(self, *options):
        self.perseid("run", "--keep", "-o", "t.json", *options, "--", TRACED)
        return self.here / "t.capture"

    def test_a_sound_capture_and_its_timeline_are_0(self):
        result = self.perseid("check", str(self.capture()))
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        self.assertRegex(result.stdout, r"\n +100 +annotations\.range_begin\n")
        self.assertRegex(result.stdout, r"\n +100 +annotations\.range_end\n")
        result = self.perseid("check", "t.json")
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)

    def test_a_damaged_capture_is_1_and_the_damage_is_named(self):
        spool = self.capture() / "spool"
        content = bytearray(spool.read_bytes())
        content[len(content) // 2] ^= 0xFF
        spool.write_bytes(content)
        result = self.perseid("check", "t.capture")
        self.assertEqual(result.returncode, 1, result.stdout + result.stderr)
        self.assertIn("does not match its checksum", result.stdout)

    def test_a_timeline_cut_short_is_2_and_the_place_is_named(self):
        self.capture()
        timeline = self.here / "t.json"
        timeline.write_bytes(timeline.read_bytes()[:-200])
        result = self.perseid("check", "t.json")
        self.assertEqual(result.returncode, 2, result.stdout)
        self.assertIn(f"ends too early, at byte {timeline.stat().st_size}", result.stderr)

    def test_what_is_neither_is_2(self):
        (self.here / "empty").mkdir()
        (self.here / "text").write_text("hello")
        for name in ("empty", "text", "no-such-file"):
            result = self.perseid("check", name)
            self.assertEqual(result.returncode, 2, name)
            self.assertIn(name, result.stderr)

    def test_the_schema_lists_events(self):
        result = self.perseid("check", "--schema")
        self.assertEqual(result.returncode, 0)
        self.assertIn("range_begin", result.stdout)


main()
