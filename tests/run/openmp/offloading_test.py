"""Target regions on a real device of the runtime: the CPU itself, as LLVM's plugin offers it."""

from openmp_case import OpenmpCase, lines_of, main


class Offloading(OpenmpCase):
    def test_regions_data_and_kernels(self):
        timeline = self.trace("offloading")
        self.assert_slices_nest(timeline)
        at = lines_of("offloading.cpp")
        # A data region is told as what it does: data goes in at its begin and out at its end.
        for kind, function, marker, count in (
                ("target", "target_regions", "region", 3), ("target enter data", "target_data", "data", 1),
                ("target exit data", "target_data", "data", 1), ("target update", "target_data", "update", 1),
                ("target enter data", "unstructured_data", "enter", 1),
                ("target exit data", "unstructured_data", "exit", 1)):
            with self.subTest(kind=kind, at=marker):
                name = rf"^{kind} {function} \(offloading\.cpp:{at[marker]}\)$"
                self.assertEqual(timeline.count("openmp.target", name), count)
        # Three regions and the one inside of the data region.
        self.assertEqual(timeline.count("openmp.target", "^run kernel$"), 4)
        copied = [e["args"]["bytes"] for e in timeline.find("openmp.target", "^copy to device$")]
        # In for each region, for the data region and for `enter data`.
        self.assertEqual(copied.count(4000), 5, copied)
        back = [e["args"]["bytes"] for e in timeline.find("openmp.target", "^copy from device$")]
        # Out of each region and of the data region, and once more by the update.
        self.assertEqual(back.count(4000), 5, back)
        self.assertEqual(back.count(4), 3, back)  # is_host
        devices = {e["args"]["to_device"] for e in timeline.find("openmp.target", "^copy to device$")}
        self.assertEqual(devices, {0})
        inside, = self.ask(
            timeline,
            "select count(*) from slice c join slice p on c.parent_id = p.id "
            "where c.name = 'run kernel' and p.name glob 'target *'")
        self.assertEqual(int(inside[0][0]), 4)


if __name__ == "__main__":
    main()
