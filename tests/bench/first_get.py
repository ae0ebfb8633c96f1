#!/usr/bin/env python3
"""What the first memory_get of a process costs: CPU seconds, by the number of entries.

    tests/bench/first_get.py PROGRAM [ENTRIES...]

Each process reads the store, builds its index and answers one question: one whose words stand in an
entry, and one that nothing answers, which builds the index of the search too. Beside them stands a
process that only lists one empty category, which reads the store and builds nothing.
"""
import json
import os
import random
import resource
import subprocess
import sys
import tempfile

ROUNDS = 3
BARS = {10000: 0.5, 100000: 6}
CATEGORIES = ("preferences", "connections", "patterns", "state")


def write_store(folder, entries):
    draw = random.Random(7)
    words = ["".join(draw.choice("bdfgklmnprst") + draw.choice("aeiou") for _ in range(draw.randint(2, 4))) for _ in range(20000)]
    stores = {c: {} for c in CATEGORIES}
    for i in range(entries):
        text = " ".join(words[int(len(words) ** draw.random()) - 1] for _ in range(12))
        stores[CATEGORIES[i % len(CATEGORIES)]]["%s_%s_%d" % (words[i % 20000], words[i % 97], i)] = text
    for category, values in stores.items():
        with open(os.path.join(folder, category + ".json"), "w", encoding="utf-8") as file:
            json.dump(values, file)
    with open(os.path.join(folder, "config.json"), "w", encoding="utf-8") as file:
        json.dump({"limits": {"entries_per_category": entries, "total_bytes": 1 << 30}, "git": "off"}, file)
    key = next(iter(stores["state"]))
    return "what is the %s of our %s?" % tuple(key.split("_")[:2])


def cost(program, folder, *arguments):
    best = None
    for _ in range(ROUNDS):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([program, *arguments, "--dir", folder], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                       env=dict(os.environ, HOME=folder, XDG_STATE_HOME=os.path.join(folder, ".state")))
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        best = spent if best is None or spent < best else best
    return best


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    for entries in [int(a) for a in sys.argv[2:]] or sorted(BARS):
        with tempfile.TemporaryDirectory() as folder:
            question = write_store(folder, entries)
            print("%7d entries: first get %.2f s, of nothing %.2f s, without an index %.2f s%s" % (
                entries, cost(sys.argv[1], folder, "get", question),
                cost(sys.argv[1], folder, "get", "which zorbling did the quaffle prefer?"),
                cost(sys.argv[1], folder, "list", "shortcuts"),
                "; bar %.1f" % BARS[entries] if entries in BARS else ""), flush=True)


main()
