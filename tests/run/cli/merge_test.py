"""Timelines are merged only if all of them are whole."""

from cli_case import TRACED, CliCase, main


class Merge(CliCase):
    def setUp(self):
        super().setUp()
        self.perseid("run", "-q", "-k", "-o", "t.json", "--", TRACED)
        self.perseid("export", "-q", "t.capture", "-o", "a.json", "-o", "a.pftrace", "-o", "a.pftrace.gz")

    def refuse(self, *words):
        suffix = words[0].split(".", 1)[1].removesuffix(".gz")
        result = self.perseid("merge", "-o", f"all.{suffix}", *words)
        self.assertEqual(result.returncode, 2, result.stderr)
        self.assertFalse((self.here / f"all.{suffix}").exists())
        return result.stderr

    def test_whole_ones_are_merged(self):
        result = self.perseid("merge", "-o", "all.json", "a.json", "t.json")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(self.steps(self.here / "all.json"), 200)
        result = self.perseid("merge", "-o", "all.pftrace", "a.pftrace", "a.pftrace.gz")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(self.perseid("check", "-q", "all.pftrace").returncode, 0)

    def test_a_protobuf_file_that_is_cut_is_refused(self):
        whole = (self.here / "a.pftrace").read_bytes()
        (self.here / "cut.pftrace").write_bytes(whole[:-7])
        message = self.refuse("cut.pftrace", "a.pftrace")
        self.assertIn("cut.pftrace", message)
        self.assertIn("from byte", message)

    def test_bytes_that_are_no_packets_are_refused(self):
        noise = bytes((i * 167 + i // 7) % 256 for i in range(3000))
        (self.here / "noise.pftrace").write_bytes(noise)
        self.assertIn("noise.pftrace", self.refuse("a.pftrace", "noise.pftrace"))
        whole = bytearray((self.here / "a.pftrace").read_bytes())
        # A packet in which no field is one.
        (self.here / "odd.pftrace").write_bytes(bytes([10, 3, 255, 255, 255]) + whole)
        message = self.refuse("odd.pftrace", "a.pftrace")
        self.assertIn("the packet at byte 0 is damaged", message)

    def test_a_name_that_lies_is_refused(self):
        (self.here / "lie.pftrace").write_bytes((self.here / "a.json").read_bytes())
        self.assertIn("lie.pftrace", self.refuse("a.pftrace", "lie.pftrace"))

    def test_a_broken_line_is_refused_with_its_place(self):
        lines = (self.here / "a.json").read_text().split("\n")
        lines[20] = lines[20].replace(":", ";", 1)
        (self.here / "broken.json").write_text("\n".join(lines))
        message = self.refuse("a.json", "broken.json")
        self.assertIn("broken.json", message)
        self.assertIn("at byte", message)


main()
