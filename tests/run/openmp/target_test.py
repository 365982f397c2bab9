"""Target regions with their data movements and kernels."""

from openmp_case import LIBRARY, OpenmpCase, main


class Target(OpenmpCase):
    def test_regions_copies_and_kernels(self):
        result = self.run_program("fake_runtime", LIBRARY, PERSEID="on")
        self.assertEqual(result.stdout, "done\n", result.stderr)
        self.stderr = result.stderr
        timeline = self.the_timeline()
        self.assert_slices_nest(timeline)
        self.assertEqual(timeline.count("openmp.target", "^target"), 3)
        copies = timeline.find("openmp.target", "^copy to device$")
        self.assertEqual([e["args"]["bytes"] for e in copies], [4096] * 3)
        self.assertEqual([e["args"]["to_device"] for e in copies], [0] * 3)
        back = timeline.find("openmp.target", "^copy from device$")
        self.assertEqual([e["args"]["bytes"] for e in back], [1024] * 3)
        kernels = timeline.find("openmp.target", "^run kernel$")
        self.assertEqual([e["args"]["teams"] for e in kernels], [12] * 3)
        self.assertEqual(timeline.count("openmp", "^error: something is odd$"), 1)
        nested, = self.ask(
            timeline,
            "select count(*) from slice c join slice p on c.parent_id = p.id where p.category = 'openmp.target' "
            "and p.depth = 0 and c.category = 'openmp.target'")
        self.assertEqual(int(nested[0][0]), 3 * 5)

    def test_a_tool_that_is_switched_off_declines(self):
        result = self.run_program("fake_runtime", LIBRARY)
        self.assertEqual(result.stdout, "no tool\n")


if __name__ == "__main__":
    main()
