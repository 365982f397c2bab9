#!/usr/bin/env python3
"""Draws a JSON timeline as SVG, for documents: rows, slices, counters, and the chain of arrows that
leads to one slice.

usage: draw_timeline.py [--select NAME] [--rows TEXT,TEXT...] [--counters NAME,NAME...]
                        TIMELINE.json PICTURE.svg

--select NAME marks in red, from the last slice of that name backwards, whichever slice it waited for
that ended last, and so on: the chain that bounded the run.
"""
import argparse
import collections
import html
import json

WIDTH = 1200
LEFT = 190
SLICE_HEIGHT = 18
ROW_GAP = 8
COUNTER_HEIGHT = 34
TOP = 26
COLOURS = ["#3b6fb6", "#2a8f6a", "#8a63b8", "#c27c1a", "#3d8f99", "#a84f86", "#6f7f35", "#7d5a4f"]
CHAIN = "#d01f2e"
QUIET = {"phase": "#c9ced6", "wait": "#dfe3e8", "submission": "#9fb6d0", "starpu": "#b9c2cc"}

Slice = collections.namedtuple("Slice", "row begin end name category depth")


def read(path):
    events = json.load(open(path))["traceEvents"]
    names, order = {}, {}
    for event in events:
        # Digits below a nanosecond only put in order what happens within it.
        if "dur" in event:
            event["dur"] = round(event["ts"] + event["dur"], 3) - round(event["ts"], 3)
        if "ts" in event:
            event["ts"] = round(event["ts"], 3)
        if event["ph"] == "M" and event["name"] == "thread_name":
            names[event["tid"]] = event["args"]["name"]
        elif event["ph"] == "M" and event["name"] == "thread_sort_index":
            order[event["tid"]] = event["args"]["sort_index"]
    return events, names, order


def nest(events):
    """Slices with their depth on their row."""
    found = []
    open_ends = collections.defaultdict(list)
    spans = [e for e in events if e["ph"] == "X"]
    for event in sorted(spans, key=lambda e: (e["ts"], -e["dur"])):
        begin, end = event["ts"], event["ts"] + event["dur"]
        stack = open_ends[event["tid"]]
        while stack and stack[-1] <= begin:
            stack.pop()
        found.append(Slice(event["tid"], begin, end, event["name"], event["cat"], len(stack)))
        stack.append(end)
    return found


def chain_to(selected, slices, events):
    """Pairs of slices, from the last one back to the first."""
    at = {(s.row, s.begin): s for s in slices}
    sources = {e["id"]: at.get((e["tid"], e["ts"])) for e in events if e["ph"] == "s"}
    incoming = collections.defaultdict(list)
    for event in events:
        if event["ph"] == "f" and sources.get(event["id"]):
            incoming[(event["tid"], event["ts"])].append(sources[event["id"]])
    pairs = []
    while selected:
        before = [s for s in incoming[(selected.row, selected.begin)] if s.category == "task"]
        latest = max(before, key=lambda s: s.end, default=None)
        if latest:
            pairs.append((latest, selected))
        selected = latest
    return pairs


class Picture:
    def __init__(self, begin, end):
        self.begin = begin
        self.scale = (WIDTH - LEFT - 10) / (end - begin)
        self.parts = []
        self.height = TOP
        self.colours = {}

    def colour_of(self, name):
        return self.colours.setdefault(name, COLOURS[len(self.colours) % len(COLOURS)])

    def x(self, at):
        return LEFT + (at - self.begin) * self.scale

    def add(self, text):
        self.parts.append(text)

    def label(self, text, y):
        self.add(f'<text x="8" y="{y:.1f}" class="row">{html.escape(text)}</text>')

    def slice(self, one, y):
        x, width = self.x(one.begin), max(0.4, (one.end - one.begin) * self.scale)
        colour = QUIET.get(one.category) or self.colour_of(one.name)
        self.add(f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{SLICE_HEIGHT - 2}"'
                 f' fill="{colour}"><title>{html.escape(one.name)}</title></rect>')
        if width > 7.2 * len(one.name):
            ink = "#1d2733" if one.category in QUIET else "#fff"
            self.add(f'<text x="{x + width / 2:.1f}" y="{y + 11.5:.1f}" style="fill:{ink}"'
                     f' class="slice">{html.escape(one.name)}</text>')

    def mark(self, one, y):
        width = max(1.0, (one.end - one.begin) * self.scale)
        self.add(f'<rect x="{self.x(one.begin):.1f}" y="{y + SLICE_HEIGHT - 4:.1f}" width="{width:.1f}"'
                 f' height="4" fill="{CHAIN}"/>')

    def arrow(self, source, target, y1, y2):
        x1, x2 = self.x(source.end), self.x(target.begin)
        self.add(f'<path d="M{x1:.1f},{y1:.1f}C{x1 + 14:.1f},{y1:.1f} {x2 - 14:.1f},{y2:.1f}'
                 f' {x2:.1f},{y2:.1f}" fill="none" stroke="{CHAIN}" stroke-width="1.6"/>')

    def legend(self, names):
        x, y = LEFT, self.height + 14
        for name in names:
            self.add(f'<rect x="{x}" y="{y - 9}" width="11" height="11" fill="{self.colours[name]}"/>'
                     f'<text x="{x + 16}" y="{y}">{html.escape(name)}</text>')
            x += 40 + 7 * len(name)
        self.add(f'<rect x="{x}" y="{y - 5}" width="18" height="4" fill="{CHAIN}"/>'
                 f'<text x="{x + 24}" y="{y}">the chain of tasks, each waiting for the one before, that'
                 f' bounded the run</text>')
        self.height += 26

    def counter(self, name, samples, end):
        most = max(value for _, value in samples) or 1
        base = self.height + COUNTER_HEIGHT - 4
        path = f"M{self.x(samples[0][0]):.1f},{base}"
        for (at, value), following in zip(samples, [s[0] for s in samples[1:]] + [end]):
            y = base - (COUNTER_HEIGHT - 10) * value / most
            path += f"L{self.x(at):.1f},{y:.1f}L{self.x(following):.1f},{y:.1f}"
        self.add(f'<path d="{path}V{base}Z" fill="#c7d7ee" stroke="#5b7fb0" stroke-width="0.6"/>')
        self.label(f"{name} (at most {most:g})", self.height + COUNTER_HEIGHT / 2 + 4)
        self.height += COUNTER_HEIGHT + 4

    def ruler(self, end):
        step = 10 ** len(str(int((end - self.begin) / 1000 / 2)))
        for smaller in (2, 5, 10):
            if (end - self.begin) / 1000 / step >= 4:
                break
            step = 10 ** len(str(int((end - self.begin) / 1000 / 2))) / smaller
        at = 0.0
        while at * 1000 <= end - self.begin:
            x = self.x(self.begin + 1000 * at)
            self.add(f'<line x1="{x:.1f}" y1="{TOP - 6}" x2="{x:.1f}" y2="{self.height}"'
                     f' stroke="#e8ebef"/><text x="{x + 3:.1f}" y="14" class="time">{at:g} ms</text>')
            at += step

    def text(self):
        style = ("text{font-family:DejaVu Sans,Verdana,sans-serif;font-size:11px;fill:#1d2733}"
                 ".slice{font-size:10px;text-anchor:middle}.time{font-size:10px;fill:#8a94a0}")
        return (f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{self.height}"'
                f' viewBox="0 0 {WIDTH} {self.height}"><style>{style}</style>'
                f'<rect width="{WIDTH}" height="{self.height}" fill="#fff"/>' + "\n".join(self.parts) + "</svg>\n")


def draw(options):
    events, names, order = read(options.timeline)
    slices = nest(events)
    tasks = [s for s in slices if s.category in ("task", "submission")]
    begin, end = min(s.begin for s in tasks), max(s.end for s in tasks)
    margin = (end - begin) / 60
    begin, end = begin - margin, end + margin
    picture = Picture(begin, end)
    ruler_at = len(picture.parts)

    places = {}
    wanted = options.rows.split(",") if options.rows else [""]
    for row in sorted(names, key=lambda tid: order.get(tid, 0)):
        here = [s for s in slices if s.row == row and s.end > begin and s.begin < end]
        if not here or not any(text in names[row] for text in wanted):
            continue
        picture.label(names[row], picture.height + 13)
        for one in here:
            cut = one._replace(begin=max(one.begin, begin), end=min(one.end, end))
            places[one] = picture.height + SLICE_HEIGHT * one.depth
            picture.slice(cut, places[one])
        picture.height += SLICE_HEIGHT * (1 + max(s.depth for s in here)) + ROW_GAP

    for name in options.counters.split(",") if options.counters else []:
        samples = [(e["ts"], value) for e in events if e["ph"] == "C"
                   for series, value in e["args"].items() if name in (e["name"], f"{e['name']} {series}")]
        samples = [(max(at, begin), value) for at, value in samples if at < end]
        if not samples:
            raise SystemExit(f"draw_timeline.py: {options.timeline} has no counter {name!r}")
        picture.counter(name, samples, end)

    chosen = [s for s in slices if s.name == options.select and s.category == "task"]
    last = max(chosen, key=lambda s: s.end, default=None)
    pairs = chain_to(last, slices, events)
    for one in {last, *(s for pair in pairs for s in pair)} & places.keys():
        picture.mark(one, places[one])
    for source, target in pairs:
        if source in places and target in places and source.row != target.row:
            picture.arrow(source, target, places[source] + SLICE_HEIGHT - 2,
                          places[target] + SLICE_HEIGHT - 2)
    drawn = picture.parts
    picture.parts = drawn[:ruler_at]
    picture.ruler(end)
    if pairs:
        picture.legend(list(picture.colours))
    picture.parts += drawn[ruler_at:]
    with open(options.picture, "w") as out:
        out.write(picture.text())


if __name__ == "__main__":
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("--select", default="")
    parser.add_argument("--rows", default="")
    parser.add_argument("--counters", default="")
    parser.add_argument("timeline")
    parser.add_argument("picture")
    draw(parser.parse_args())
