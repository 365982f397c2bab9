"""Large threadprivate data, which our own thread has on its stack like any other."""

from openmp_case import OpenmpCase, main


class ThreadPrivate(OpenmpCase):
    def test_of_any_size_leave_the_program_and_its_trace_alone(self):
        for kilobytes in (900, 1040, 2000, 64000):
            # The runtime makes room for its own threads only if asked.
            timeline = self.trace(f"thread_private_{kilobytes}", OMP_STACKSIZE=f"{kilobytes + 4000}K")
            self.assertEqual(timeline.count("openmp.parallel"), 2, kilobytes)


if __name__ == "__main__":
    main()
