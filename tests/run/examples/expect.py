"""expect.py TIMELINE NAME=COUNT...: slices (or counters, "NAME#" for samples) by name."""

import collections
import json
import sys

events = json.load(open(sys.argv[1]))
events = events["traceEvents"] if isinstance(events, dict) else events
slices = collections.Counter(e["name"] for e in events if e["ph"] in "Xi")
samples = collections.Counter(e["name"] for e in events if e["ph"] == "C")
arrows = sum(1 for e in events if e["ph"] == "f")
threads = {e["args"]["name"] for e in events if e["ph"] == "M" and e["name"] == "thread_name"}

failures = []
for expectation in sys.argv[2:]:
    name, wanted = expectation.rsplit("=", 1)
    if name == "->":
        found = arrows
    elif name == "thread":
        found, wanted = wanted, wanted if any(wanted in t for t in threads) else f"one of {threads}"
    elif name.endswith("#"):
        found = sum(count for key, count in samples.items() if key.startswith(name[:-1]))
    else:
        found = slices[name]
    if str(found) != wanted:
        failures.append(f"{name}: {found}, expected {wanted}")
print("\n".join(failures) or "as expected")
sys.exit(bool(failures))
