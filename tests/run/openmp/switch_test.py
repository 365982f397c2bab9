"""A program that turns tracing on itself, before its first region."""

from openmp_case import LIBRARY, OpenmpCase, Timeline, main


class Switch(OpenmpCase):
    def test_set_by_the_program_it_counts(self):
        result = self.run_program("sets_switch", "out=late.json", LD_PRELOAD=LIBRARY)
        self.assertEqual((result.returncode, result.stdout), (0, "2\n"), result.stderr)
        self.assertEqual(Timeline(self.here / "late.json").count("openmp.parallel"), 2)

    def test_openmp_off_records_nothing(self):
        result = self.run_program("sets_switch", "openmp=off,out=late.json", LD_PRELOAD=LIBRARY)
        self.assertEqual((result.returncode, result.stdout), (0, "2\n"), result.stderr)
        self.assertEqual(list(self.here.iterdir()), [])
        self.assertEqual(result.stderr, "")

    def test_unset_there_is_nothing(self):
        result = self.run_program("sets_switch", LD_PRELOAD=LIBRARY)
        self.assertEqual((result.returncode, result.stdout, result.stderr), (0, "2\n", ""))
        self.assertEqual(list(self.here.iterdir()), [])


if __name__ == "__main__":
    main()
