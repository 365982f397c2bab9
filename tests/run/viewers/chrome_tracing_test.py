"""chrome://tracing, that is Catapult's trace viewer, shows what Perfetto does, arrow by arrow.

Debian's Chromium is built without that page, so the viewer comes from its npm package. It was written for
browsers with an earlier kind of web components, and what the package brings in their place is enough for the
viewer's import and model, but not to draw: the test reads the model that the page draws.
"""

import json
import unittest

from viewers_case import VIEWERS, ViewersCase, ask, by_lane

PACKAGE = VIEWERS / "traceviewer" / "tracing"
VIEWER = PACKAGE / "bin" / "trace_viewer_full.html"
WEB_COMPONENTS = PACKAGE / "third_party" / "components" / "webcomponentsjs" / "webcomponents.min.js"

IMPORT = """(() => {
  const model = window.model = new tr.Model();
  const options = new tr.importer.ImportOptions();
  options.showImportWarnings = false;
  new tr.importer.Import(model, options).importTraces([window.timeline]);
  const depth = slice => slice.parentSlice ? 1 + depth(slice.parentSlice) : 0;
  const place = (slice) => {
    const thread = slice.parentContainer;
    return [thread.parent.pid, thread.tid, slice.start * 1e6, slice.duration * 1e6, depth(slice), slice.title];
  };
  const found = {slices: [], lanes: [], counters: {}, warnings: model.importWarnings};
  for (const process of model.getAllProcesses()) {
    for (const counter of Object.values(process.counters)) {
      for (const series of counter.series) found.counters[`${counter.name} ${series.name}`] = series.samples.length;
    }
    for (const thread of Object.values(process.threads)) {
      found.lanes.push([process.pid, process.name, process.sortIndex, thread.tid, thread.name, thread.sortIndex]);
      for (const slice of thread.sliceGroup.slices) found.slices.push(place(slice));
    }
  }
  found.arrows = model.flowEvents.map(flow => [place(flow.startSlice), place(flow.endSlice)]);
  return found;
})()"""

ARROWS = """
    select op.pid, ot.tid, o.ts, o.dur, o.name, ip.pid, it.tid, i.ts, i.dur, i.name
    from flow f join slice o on f.slice_out = o.id join slice i on f.slice_in = i.id
    join thread_track ott on o.track_id = ott.id join thread ot on ott.utid = ot.utid
    join process op on ot.upid = op.upid
    join thread_track itt on i.track_id = itt.id join thread it on itt.utid = it.utid
    join process ip on it.upid = ip.upid"""
COUNTERS = """
    select t.name, count(*) from counter c join counter_track t on c.track_id = t.id group by 1"""
START = "select min(m) from (select min(ts) as m from slice union select min(ts) from counter)"

# The viewer says so of whole trains of times whose microseconds are even.
HARMLESS = "low_resolution_timer"


class ChromeTracing(ViewersCase):
    def open(self, timeline):
        page = self.here / "page.html"
        page.write_text(f'<!DOCTYPE html><script src="{WEB_COMPONENTS.as_uri()}"></script>' + VIEWER.read_text())
        browser = self.browser
        browser.complaints.clear()
        browser.open(page.as_uri())
        browser.wait_for("window.tr && tr.importer && tr.importer.Import ? true : false")
        browser.run(f"window.timeline = {json.dumps(timeline.read_text())}; true")
        return browser.run(IMPORT)

    def expect_everything(self, timeline):
        found = self.open(timeline)
        slices, lanes = self.perfetto(timeline)
        warnings = [w for w in found["warnings"] if w["type"] != HARMLESS]
        self.assertEqual(warnings, [])
        self.assertEqual(by_lane(row for row in found["slices"] if round(row[3]) > 0), slices)
        names = {(pid, tid): (process, thread) for pid, process, _, tid, thread, _ in found["lanes"]}
        self.assertEqual({key: names[key] for key in lanes}, lanes)
        arrows, counters, ((start,),) = ask(timeline, ARROWS, COUNTERS, START)
        ends = [
            tuple((int(pid), int(tid), int(ts) - int(start), int(dur), name)
                  for pid, tid, ts, dur, name in (row[:5], row[5:]))
            for row in arrows]
        drawn = [
            tuple((pid, tid, round(begin), round(duration), title) for pid, tid, begin, duration, _, title in arrow)
            for arrow in found["arrows"]]
        self.assertEqual(sorted(drawn), sorted(ends))
        self.assertEqual(found["counters"], {name: int(samples) for name, samples in counters})
        return found

    def test_programs(self):
        for name, capture in self.programs():
            timeline = self.export(capture, name=name, formats=("json",))["json"]
            found = self.expect_everything(timeline)
            self.assertGreater(len(found["arrows"]), 100, name)
            self.assertGreater(len(found["counters"]), 0, name)
            self.assertEqual(self.browser.complaints, [], name)


if __name__ == "__main__":
    unittest.main(verbosity=2)
