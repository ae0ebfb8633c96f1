#!/usr/bin/env python3
"""What the first memory_get of a process costs: CPU seconds, by the number of entries.

    tests/bench/first_get.py PROGRAM [--cold MB] [ENTRIES...]

Each process reads the store, builds its index and answers one question: one whose words stand in an
entry, and one that nothing answers, which builds the index of the search too. Beside them stands a
process that only lists one empty category, which reads the store and builds nothing. With --cold a
cold archive of so many MB comes to each store, and the same is measured again: what an active entry
answers costs what it did, or this exits with 1; what nothing answers reads all of it.
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
COLD_BAR = 1.2
MONTH_MB = 64
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


def write_cold(folder, megabytes):
    when = "2025-10-01T00:00:00.000Z"
    block = "".join(json.dumps({"category": "state", "key": "berth %d@%s" % (i, when), "originalKey": "berth %d" % i, "archivedAt": when,
                                "reason": "expiry", "entry": {"value": "pier %d, " % i + "of the old harbour " * 10}}) + "\n" for i in range(3000)).encode()
    os.mkdir(os.path.join(folder, "archive.cold"), 0o700)
    for month in range((megabytes + MONTH_MB - 1) // MONTH_MB):
        name = "%d-%02d.jsonl" % (2025 - month // 12, 12 - month % 12)
        with open(os.path.join(folder, "archive.cold", name), "wb") as file:
            while file.tell() < min(MONTH_MB, megabytes - month * MONTH_MB) << 20:
                file.write(block)


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


def measure(program, folder, question):
    return (cost(program, folder, "get", question), cost(program, folder, "get", "which zorbling did the quaffle prefer?"),
            cost(program, folder, "list", "shortcuts"))


def main():
    arguments = sys.argv[1:]
    if not arguments:
        sys.exit(__doc__)
    program = arguments.pop(0)
    cold = 0
    if arguments[:1] == ["--cold"]:
        cold = int(arguments[1])
        del arguments[:2]
    slow = False
    for entries in [int(a) for a in arguments] or sorted(BARS):
        with tempfile.TemporaryDirectory() as folder:
            question = write_store(folder, entries)
            alone = measure(program, folder, question)
            print("%7d entries: first get %.2f s, of nothing %.2f s, without an index %.2f s%s" % (
                entries, *alone, "; bar %.1f" % BARS[entries] if entries in BARS else ""), flush=True)
            if cold:
                write_cold(folder, cold)
                times = [b / a for a, b in zip(alone, measure(program, folder, question))]
                print("%7s and %d MB of cold archive: %.2f, %.2f, %.2f times as much; bar %.1f for the first and the last" % (
                    "", cold, *times, COLD_BAR), flush=True)
                slow = slow or max(times[0], times[2]) > COLD_BAR
    sys.exit(slow)


main()
