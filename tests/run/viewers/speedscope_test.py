"""speedscope shows a profile for every lane, with the slices that Perfetto has."""

import json
import unittest

from viewers_case import VIEWERS, ViewersCase, by_lane

PAGE = (VIEWERS / "speedscope" / "dist" / "release" / "index.html").as_uri()
# What the page saves is all that it has read, in its own format.
KEEP_WHAT_IS_SAVED = "window.saved = []; URL.createObjectURL = (blob) => { saved.push(blob); return 'javascript:0'; }"
PRESS_EXPORT = """
    [...document.querySelectorAll('div')].filter(e => /Export$/.test(e.innerText) && e.children.length < 3)
        .pop().click()"""
# The end of a slice that is printed as a begin and an end has the name, but no arguments.
HARMLESS = "Ending "


def frames_of(profile):
    """(begin, duration, depth, name) in nanoseconds of every frame that was opened and closed."""
    open_frames = []
    for event in profile["events"]:
        if event["type"] == "O":
            open_frames.append(event)
        else:
            begun = open_frames.pop()
            assert begun["frame"] == event["frame"], (begun, event)
            yield begun["at"] * 1000, (event["at"] - begun["at"]) * 1000, len(open_frames), begun["frame"]
    assert not open_frames, open_frames


class Speedscope(ViewersCase):
    def open(self, timeline):
        browser = self.browser
        browser.complaints.clear()
        browser.open(PAGE)
        browser.run(KEEP_WHAT_IS_SAVED)
        browser.choose_file("document.querySelector('input[type=file]')", timeline)
        browser.wait_for("document.title !== 'speedscope' || /rror/.test(document.body.innerText)")
        self.assertEqual(browser.run("document.title"), f"{timeline.name} - speedscope")
        shown = browser.run("document.body.innerText")
        browser.run(PRESS_EXPORT)
        browser.wait_for("saved.length > 0")
        return shown, json.loads(browser.run("saved[0].text()"))

    def expect_everything(self, timeline):
        shown, saved = self.open(timeline)
        slices, lanes = self.perfetto(timeline)
        titles = {key: f"{process} (pid {key[0]}), {thread} (tid {key[1]})"
                  for key, (process, thread) in lanes.items()}
        profiles = {profile["name"]: profile for profile in saved["profiles"]}
        self.assertIn(saved["profiles"][0]["name"], shown)
        self.assertIn(f"(1/{len(profiles)})", shown)
        names = [frame["name"] for frame in saved["shared"]["frames"]]
        seen = {}
        for key in slices:
            self.assertIn(titles[key], profiles)
            rows = [(*key, *frame[:3], names[frame[3]]) for frame in frames_of(profiles[titles[key]])]
            seen.update(by_lane([row for row in rows if round(row[3]) > 0]))
        self.assertLessEqual(set(profiles), set(titles.values()))
        for key, expected in slices.items():
            self.assertEqual([s[:3] for s in seen[key]], [s[:3] for s in expected], titles[key])
            for mine, other in zip(seen[key], expected):  # the page puts arguments behind the name
                self.assertTrue(mine[3] == other[3] or mine[3].startswith(other[3] + " {"), (mine, other))
        return sum(map(len, slices.values()))

    def test_programs(self):
        for name, capture in self.programs():
            files = self.export(capture, name=name, formats=("json", "json.gz"))
            for timeline in files.values():
                self.assertGreater(self.expect_everything(timeline), 200, name)
                self.assertEqual(self.browser.complaints, [], name)

    def test_what_is_hard(self):
        for seed in (1, 2):
            timeline = self.export(self.torture(seed), name=str(seed), formats=("json",))["json"]
            self.assertGreater(self.expect_everything(timeline), 2000)
            self.assertEqual([c for c in self.browser.complaints if HARMLESS not in c], [])


if __name__ == "__main__":
    unittest.main(verbosity=2)
